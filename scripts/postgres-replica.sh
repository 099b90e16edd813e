#!/usr/bin/env bash
# A streaming replica of a PostgreSQL server of scripts/postgres-server.sh, on loopback only.
#   start URL   copies the server and follows it; the last line on stdout is the replica's URL
#   stop        stops it and removes the copy
# VARVE_REPLICA_DIR is its folder (default ${TMPDIR:-/tmp}/varve-replica).
# Exit code 3: a replica cannot run on this machine; one line on stderr says why.
set -euo pipefail

dir=$(realpath -m "${VARVE_REPLICA_DIR:-${TMPDIR:-/tmp}/varve-replica}")
unset "${!PG@}" # the caller's PGHOST, PGOPTIONS and the like are meant for another server
export LC_ALL=C
cd / # user postgres may not be allowed into the caller's folder

log() { echo "postgres-replica: $*" >&2; }
fail() { log "${*:2}"; exit "$1"; }

# postgres refuses to run as root.
as_server() {
  if ((EUID == 0)); then setpriv --reuid=postgres --regid=postgres --init-groups "$@"; else "$@"; fi
}

bin() { echo "/usr/lib/postgresql/$1/bin"; }

stop() {
  [[ -f $dir/data/PG_VERSION ]] || return 0
  as_server "$(bin "$(cat "$dir/data/PG_VERSION")")/pg_ctl" -D "$dir/data" -m immediate -s -w stop >&2 || true
  rm -rf "$dir"
}

start() {
  [[ $1 =~ ^postgres(ql)?://([^:/@]+):([^@]+)@([^:/]+):([0-9]+)/([^?]+) ]] || fail 2 "this is not a URL postgres://user:password@host:port/database: $1"
  local user=${BASH_REMATCH[2]} password=${BASH_REMATCH[3]} host=${BASH_REMATCH[4]} server_port=${BASH_REMATCH[5]}
  local database=${BASH_REMATCH[6]} port=$((20000 + RANDOM % 12000)) version
  stop
  version=$({ ls -d /usr/lib/postgresql/*/bin/pg_basebackup 2>/dev/null || true; } | cut -d/ -f5 | sort -V | tail -n 1)
  [[ -n $version ]] || fail 3 "pg_basebackup is not installed"
  mkdir -p "$dir"
  if ((EUID == 0)); then chown postgres:postgres "$dir"; fi
  log "copying the server"
  PGPASSWORD=$password as_server "$(bin "$version")/pg_basebackup" -h "$host" -p "$server_port" -U "$user" -D "$dir/data" -R -X stream -c fast >&2 ||
    fail 3 "the server cannot be copied"
  echo "port = $port" | as_server tee "$dir/data/varve.conf" >/dev/null
  as_server "$(bin "$version")/pg_ctl" -D "$dir/data" -l "$dir/data/replica.log" -s -w start >&2 ||
    { tail -n 20 "$dir/data/replica.log" >&2; fail 1 "the replica did not start"; }
  log "ready"
  echo "postgres://$user:$password@127.0.0.1:$port/$database"
}

case ${1:-} in
  start) start "${2:?the URL of the server}" ;;
  stop) stop ;;
  *) fail 2 "usage: $0 start URL|stop" ;;
esac
