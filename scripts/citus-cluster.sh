#!/usr/bin/env bash
# A Citus cluster for the test suite, on loopback only: a coordinator and two workers, each with pgvector.
#   start   builds what is missing and starts; the last line on stdout is the coordinator's URL
#   stop    stops it
# It is built from ../shared/citus (source and build script) against the PostgreSQL that scripts/postgres-server.sh installs.
# VARVE_CITUS_DIR is the folder of the cluster (default ${TMPDIR:-/tmp}/varve-citus).
# Exit code 3: the cluster cannot run on this machine; one line on stderr says why.
set -euo pipefail

source=$(realpath -m "$(dirname "$0")/../../shared/citus")
dir=$(realpath -m "${VARVE_CITUS_DIR:-${TMPDIR:-/tmp}/varve-citus}")
bin=$dir/pg/usr/lib/postgresql/15/bin
unset "${!PG@}" # the caller's PGHOST, PGOPTIONS and the like are meant for another server
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
umask 022
nodes=(coordinator worker1 worker2)

log() { echo "citus-cluster: $*" >&2; }
fail() { log "${*:2}"; exit "$1"; }
# initdb and postgres refuse to run as root.
as_server() { (cd / && setpriv --reuid=postgres --regid=postgres --init-groups "$@"); }
port() { sed -n 's/^port = //p' "$dir/$1/varve.conf"; }
query() { "$bin/psql" -X -q -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$(port "$1")" -U varve -d "$2"; }
is_running() { as_server "$bin/pg_ctl" -D "$dir/$1" status >/dev/null 2>&1; }

build() {
  [[ -f $source/build-citus.sh ]] || fail 3 "the source of Citus is not at $source"
  ((EUID == 0)) || fail 3 "building Citus needs root, to install packages"
  [[ -f /usr/lib/postgresql/15/lib/vector.so ]] || fail 3 "PostgreSQL 15 with pgvector is not here: scripts/postgres-server.sh start"
  log "building Citus"
  for package in postgresql-server-dev-15 gcc make libzstd-dev liblz4-dev libkrb5-dev; do
    dpkg -s "$package" >/dev/null 2>&1 || apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "$package" >"$dir/apt.log" 2>&1 ||
      fail 3 "the package $package cannot be installed"
  done
  # The build takes 40 s on two free cores. On a machine that needs more than ten minutes, the tests would take too long as well.
  timeout 600 bash "$source/build-citus.sh" "$dir" >"$dir/build.log" 2>&1 || {
    (($? != 124)) || fail 3 "Citus was not built within ten minutes"
    tail -n 20 "$dir/build.log" "$dir"/src/*.log >&2
    fail 1 "the build failed"
  }
}

create() {
  local name=$1
  rm -rf "$dir/$name.new"
  install -d -m 700 -o postgres -g postgres "$dir/$name.new"
  # Trust: the nodes connect to each other as the role of a tenant, which has no password.
  as_server "$bin/initdb" -D "$dir/$name.new" -U varve --auth=trust -E UTF8 --locale=C.UTF-8 >/dev/null
  cat >>"$dir/$name.new/postgresql.conf" <<'C'
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
max_prepared_transactions = 200
wal_level = logical
fsync = off
shared_preload_libraries = 'citus'
citus.node_conninfo = 'sslmode=disable'
citus.shard_count = 2
citus.metadata_sync_interval = 1000
citus.metadata_sync_retry_interval = 1000
include 'varve.conf'
C
  mv "$dir/$name.new" "$dir/$name"
}

launch() {
  local name=$1
  for _ in {1..20}; do
    [[ -f $dir/$name/varve.conf ]] || echo "port = $((20000 + RANDOM % 12000))" >"$dir/$name/varve.conf"
    if as_server "$bin/pg_ctl" -D "$dir/$name" -l "$dir/$name/server.log" -s -w -t 120 start >&2; then return; fi
    grep -q 'Address already in use' "$dir/$name/server.log" || break
    # The coordinator knows the workers by their ports, so an existing cluster keeps its ports.
    [[ ! -f $dir/ready ]] || break
    rm "$dir/$name/varve.conf"
  done
  fail 1 "$name did not start; its log is $dir/$name/server.log"
}

start() {
  mkdir -p "$dir"
  [[ -f $dir/pg/usr/lib/postgresql/15/lib/citus.so ]] || build
  for name in "${nodes[@]}"; do
    [[ -d $dir/$name ]] || create "$name"
    is_running "$name" || launch "$name"
  done
  if [[ ! -f $dir/ready ]]; then
    for name in "${nodes[@]}"; do
      query "$name" postgres <<<'create database varve'
      query "$name" varve <<<'create extension citus; create extension vector;'
    done
    query coordinator varve >/dev/null <<SQL
select citus_set_coordinator_host('127.0.0.1', $(port coordinator));
select citus_add_node('127.0.0.1', $(port worker1)), citus_add_node('127.0.0.1', $(port worker2));
SQL
    touch "$dir/ready"
  fi
  log "ready: $(for name in "${nodes[@]}"; do echo -n "$name $(port "$name") "; done)"
  echo "postgres://varve@127.0.0.1:$(port coordinator)/varve"
}

case ${1:-} in
  start) start ;;
  stop) for name in "${nodes[@]}"; do if is_running "$name"; then as_server "$bin/pg_ctl" -D "$dir/$name" -m fast -s -w stop; fi; done ;;
  *) fail 2 "usage: $0 start|stop" ;;
esac
