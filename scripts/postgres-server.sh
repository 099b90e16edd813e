#!/usr/bin/env bash
# A real PostgreSQL server with pgvector for the test suite, on loopback only.
#   start   installs what is missing and starts; the last line on stdout is the URL
#   stop    stops it
#   status  prints the URL while it runs, exits with 1 otherwise
# VARVE_POSTGRES_DIR is its folder (default ${TMPDIR:-/tmp}/varve-postgres).
# Roles (the password is the name): varve is a superuser; varve_app is subject to row-level security.
# Exit code 3: the server cannot run on this machine; one line on stderr says why.
set -euo pipefail

self=$(realpath "$0")
dir=$(realpath -m "${VARVE_POSTGRES_DIR:-${TMPDIR:-/tmp}/varve-postgres}")
data=$dir/data
export VARVE_POSTGRES_DIR=$dir # made absolute for the copy of this script that runs under the lock
unset "${!PG@}" # the caller's PGHOST, PGOPTIONS and the like are meant for another server
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
umask 022
cd / # user postgres may not be allowed into the caller's folder

log() { echo "postgres-server: $*" >&2; }
fail() { log "${*:2}"; exit "$1"; }

server_version() {
  if [[ -f $data/PG_VERSION ]]; then cat "$data/PG_VERSION"; return; fi
  { ls -d /usr/lib/postgresql/*/bin/postgres 2>/dev/null || true; } | cut -d/ -f5 | sort -V | tail -n 1
}

is_installed() {
  [[ -x /usr/lib/postgresql/$1/bin/postgres && -f /usr/lib/postgresql/$1/lib/vector.so &&
    -f /usr/share/postgresql/$1/extension/vector.control ]]
}

quietly() {
  if "$@" >"$scratch/output" 2>&1; then return; fi
  tail -n 40 "$scratch/output" >&2
  fail 1 "failed: $*"
}

install_missing() {
  local version packages no_cluster=/etc/postgresql-common/createcluster.d/varve.conf
  version=$(server_version)
  if is_installed "$version"; then return; fi
  ((EUID == 0)) || fail 3 "PostgreSQL with pgvector is not installed, and installing it takes root"
  command -v apt-get >/dev/null || fail 3 "PostgreSQL with pgvector is not installed, and there is no apt-get to install it"
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch" '"$no_cluster" EXIT
  log "updating the package lists"
  quietly apt-get -o DPkg::Lock::Timeout=600 update
  version=${version:-$(apt-cache depends postgresql | sed -nE 's/^ *Depends: postgresql-([0-9]+)$/\1/p')}
  [[ -n $version ]] || fail 3 "apt has no postgresql package"
  packages=("postgresql-$version" "postgresql-$version-pgvector")
  # `grep -q` would end apt-cache with a broken pipe, which fails the pipeline.
  if ! apt-cache policy "${packages[1]}" | grep 'Candidate: [^(]' >/dev/null; then
    packages=("postgresql-$version" "postgresql-server-dev-$version" gcc libc6-dev make)
  fi
  # Without this setting, Debian creates another server on port 5432 and starts it.
  mkdir -p "${no_cluster%/*}"
  echo 'create_main_cluster = false' >"$no_cluster"
  log "installing ${packages[*]}"
  quietly apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "${packages[@]}"
  is_installed "$version" || build_pgvector "/usr/lib/postgresql/$version/bin/pg_config"
}

# Debian 12 has no pgvector, so it is built from the source package of Debian 13, from the mirror that this machine already uses.
build_pgvector() {
  log "compiling pgvector"
  local make apt=(apt-get -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$scratch/sources"
    -o "Dir::State::lists=$scratch/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root)
  mkdir -p "$scratch/sources" "$scratch/lists/partial" "$scratch/pgvector"
  cd "$scratch"
  if [[ -f /etc/apt/sources.list.d/debian.sources ]]; then
    awk -v RS= '/(^|\n)URIs:/ && !n++' /etc/apt/sources.list.d/debian.sources |
      sed -e 's/^Types:.*/Types: deb-src/' -e 's/^Suites:.*/Suites: trixie/' >sources/trixie.sources
  else
    sed -nE '/^deb( +\[.*\])? +([a-z]+:\/[^ ]+) .*/{s//deb-src\1 \2 trixie main/p;q}' /etc/apt/sources.list >sources/trixie.list
  fi
  quietly "${apt[@]}" update
  quietly "${apt[@]}" source --download-only pgvector
  tar -xf pgvector_*.orig.tar.gz --strip-components=1 -C pgvector
  # No -march=native, because the image of a machine may later run on another processor. No LLVM bitcode, which only JIT inlining needs.
  make=(make -C pgvector "PG_CONFIG=$1" OPTFLAGS= with_llvm=no)
  quietly "${make[@]}" -j "$(nproc)"
  quietly "${make[@]}" install
}

# initdb and postgres refuse to run as root.
as_server() {
  if ((EUID == 0)); then setpriv --reuid=postgres --regid=postgres --init-groups "$@"; else "$@"; fi
}

# All postgres processes that work in the data directory. The pid file is not reliable: after a crash its pid may belong to another program.
server_pids() {
  { as_server find /proc -mindepth 2 -maxdepth 2 -name cwd -lname "$data" -printf '%h/comm\n' 2>/dev/null |
    xargs -r grep -slx postgres || true; } | cut -d/ -f3
}

is_running() { [[ -f $data/postmaster.pid ]] && grep -qx "$(head -n 1 "$data/postmaster.pid")" <(server_pids); }
port() { sed -n 's/^port = //p' "$data/varve.conf"; }
url() { echo "postgres://$1:$1@127.0.0.1:$(port)/varve"; }

create_cluster() {
  log "creating $data"
  rm -rf "$data.new"
  mkdir -m 700 "$data.new"
  if ((EUID == 0)); then chown postgres:postgres "$data.new"; fi
  as_server test -x "$data.new" || fail 1 "user postgres may not enter $dir: open the folders above it or set VARVE_POSTGRES_DIR"
  echo varve >"$dir/password"
  as_server "$bin/initdb" -D "$data.new" -U varve --pwfile="$dir/password" -A scram-sha-256 -E UTF8 --locale=C.UTF-8 >/dev/null
  printf '%s\n' "listen_addresses = '127.0.0.1'" "unix_socket_directories = ''" "include 'varve.conf'" >>"$data.new/postgresql.conf"
  mv "$data.new" "$data" # only when complete, so that an interrupted start leaves no half of it
}

launch() {
  local port pids size=0
  # Backends of a killed server run until their queries end, and a new server refuses to start while they run.
  for _ in {1..100}; do
    pids=$(server_pids | xargs)
    [[ -n $pids ]] || break
    xargs kill -QUIT <<<"$pids" 2>/dev/null || true
    sleep 0.1
  done
  [[ -z $pids ]] || fail 1 "processes of a killed server do not end: $pids"
  rm -f "$data/postmaster.pid"
  port=$(port 2>/dev/null || true)
  for _ in {1..20}; do
    port=${port:-$((20000 + RANDOM % 12000))} # below the ports that outgoing connections take
    # Without fsync a commit survives the kill of any process, which is what the crash tests need; only a loss of power would lose it.
    # synchronous_commit stays on, because without it the server would lose commits when it is killed.
    printf '%s\n' "port = $port" 'fsync = off' 'full_page_writes = off' >"$data/varve.conf"
    if [[ -f $data/server.log ]]; then size=$(stat -c %s "$data/server.log"); fi
    log "starting on port $port"
    if as_server "$bin/pg_ctl" -D "$data" -l "$data/server.log" -s -w -t 300 start >&2; then return; fi
    tail -c "+$((size + 1))" "$data/server.log" | grep 'Address already in use' >&2 || break
    port=
  done
  tail -n 20 "$data/server.log" >&2
  fail 1 "the server did not start; its log is $data/server.log"
}

prepare() {
  log "creating the roles, the extensions and the database"
  PGPASSWORD=varve "$bin/psql" -X -q -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$(port)" -U varve -d template1 >&2 <<'SQL'
CREATE EXTENSION IF NOT EXISTS vector;
CREATE EXTENSION IF NOT EXISTS btree_gin;
SELECT 'CREATE ROLE varve_app LOGIN PASSWORD ''varve_app'' NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE'
  WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'varve_app') \gexec
SELECT 'CREATE DATABASE varve' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'varve') \gexec
SQL
  touch "$data/varve.ready"
}

start() {
  [[ -d $data ]] || create_cluster
  [[ -w $data ]] || fail 1 "$data belongs to another user: set VARVE_POSTGRES_DIR"
  if is_running; then log "already running"; else launch; fi
  timeout 60 bash -c "until '$bin/pg_isready' -q -h 127.0.0.1 -p $(port); do sleep 0.2; done" ||
    fail 1 "the server runs but does not answer; its log is $data/server.log"
  # This runs only once, because a connection to template1 makes another process's CREATE DATABASE fail.
  [[ -f $data/varve.ready ]] || prepare
  log "ready; as a plain role: $(url varve_app)"
  url varve
}

# With flock -o the server does not inherit the lock, which it would otherwise hold while it runs.
locked() { flock -o -w 1800 "$1" bash "$self" "$2"; }

bin=/usr/lib/postgresql/$(server_version)/bin
case ${1:-} in
  start)
    is_installed "$(server_version)" || locked /var/lib install-missing
    mkdir -p "$dir"
    locked "$dir" start-locked ;;
  stop) if [[ -d $dir ]]; then locked "$dir" stop-locked; fi; log "stopped" ;;
  status) is_running || fail 1 "not running"; url varve ;;
  install-missing) install_missing ;; # this and the two below: what locked runs
  start-locked) start ;;
  stop-locked) if is_running; then as_server "$bin/pg_ctl" -D "$data" -m fast -s -w -t 300 stop >&2; fi ;;
  *) fail 2 "usage: $0 start|stop|status" ;;
esac
