#!/usr/bin/env bash
# PgBouncer in transaction mode before a PostgreSQL server of scripts/postgres-server.sh, on loopback only.
#   start URL   installs PgBouncer where it is missing and starts it before that server; the last line on stdout is its URL
#   stop        stops it
# VARVE_PGBOUNCER_DIR is its folder (default ${TMPDIR:-/tmp}/varve-pgbouncer).
# It has few connections to the server, so that two transactions of one client seldom get the same connection.
# Exit code 3: PgBouncer cannot run on this machine; one line on stderr says why.
set -euo pipefail

dir=$(realpath -m "${VARVE_PGBOUNCER_DIR:-${TMPDIR:-/tmp}/varve-pgbouncer}")

log() { echo "pgbouncer: $*" >&2; }
fail() { log "${*:2}"; exit "$1"; }

install_missing() {
  if command -v pgbouncer >/dev/null; then return; fi
  ((EUID == 0)) || fail 3 "PgBouncer is not installed, and installing it takes root"
  command -v apt-get >/dev/null || fail 3 "PgBouncer is not installed, and there is no apt-get to install it"
  log "installing pgbouncer"
  local install=(apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends pgbouncer)
  "${install[@]}" >/dev/null 2>&1 || { apt-get update >/dev/null 2>&1 && "${install[@]}" >/dev/null 2>&1; } ||
    fail 3 "apt has no pgbouncer package"
}

# PgBouncer refuses to run as root.
as_server() {
  if ((EUID == 0)); then setpriv --reuid=postgres --regid=postgres --init-groups "$@"; else "$@"; fi
}

is_running() { [[ -f $dir/pid ]] && grep -qsx pgbouncer "/proc/$(cat "$dir/pid")/comm"; }

# The URL must be postgres://user:password@host:port/database, as scripts/postgres-server.sh prints it.
start() {
  [[ $1 =~ ^postgres(ql)?://([^:/@]+):([^@]+)@([^:/]+):([0-9]+)/([^?]+) ]] || fail 2 "this is not a URL postgres://user:password@host:port/database: $1"
  local user=${BASH_REMATCH[2]} password=${BASH_REMATCH[3]} host=${BASH_REMATCH[4]} server_port=${BASH_REMATCH[5]}
  local database=${BASH_REMATCH[6]} port=$((20000 + RANDOM % 12000)) prepared=
  stop
  # Older versions do not have the setting, and drop a client's prepared statements at the end of each transaction.
  if pgbouncer --version | awk '/^PgBouncer/ { split($2, v, "."); exit !(v[1] > 1 || v[2] >= 21) }'; then
    prepared="max_prepared_statements = ${VARVE_PGBOUNCER_PREPARED:-200}"
  fi
  mkdir -p "$dir"
  echo "\"$user\" \"$password\"" >"$dir/users"
  cat >"$dir/pgbouncer.ini" <<INI
[databases]
$database = host=$host port=$server_port dbname=$database

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir =
auth_type = plain
auth_file = $dir/users
pool_mode = transaction
default_pool_size = 8
max_client_conn = 500
server_reset_query =
ignore_startup_parameters = extra_float_digits
logfile = $dir/log
pidfile = $dir/pid
$prepared
INI
  if ((EUID == 0)); then chown -R postgres:postgres "$dir"; fi
  as_server pgbouncer -q -d "$dir/pgbouncer.ini" || fail 1 "PgBouncer did not start; its log is $dir/log"
  for _ in {1..50}; do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then break; fi
    sleep 0.1
  done
  log "$(pgbouncer --version | head -n 1), transaction mode, prepared statements: ${prepared:-unknown to this version}"
  echo "postgres://$user:$password@127.0.0.1:$port/$database"
}

stop() {
  is_running || return 0
  local pid
  pid=$(cat "$dir/pid")
  kill -INT "$pid"
  for _ in {1..100}; do [[ -d /proc/$pid ]] || return 0; sleep 0.1; done
  fail 1 "process $pid does not end"
}

case ${1:-} in
  start) install_missing; start "${2:?the URL of the server}" ;;
  stop) stop; log "stopped" ;;
  *) fail 2 "usage: $0 start URL|stop" ;;
esac
