#!/bin/sh
# The entry point of the stand-in for the image postgres: as much of the vendor's as docker-compose.yml uses.
set -eu
socket=/var/run/postgresql
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA" "$socket"
  chown -R postgres "$PGDATA" "$socket"
  chmod 700 "$PGDATA"
  exec setpriv --reuid postgres --regid postgres --init-groups sh "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  echo "$POSTGRES_PASSWORD" >/tmp/password
  # shellcheck disable=SC2086 # several options
  initdb --pgdata "$PGDATA" --username postgres --pwfile /tmp/password --auth-local trust --auth-host scram-sha-256 $POSTGRES_INITDB_ARGS
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl --wait --options "-c listen_addresses= -c unix_socket_directories=$socket" start
  for script in /docker-entrypoint-initdb.d/*.sh; do POSTGRES_USER=postgres sh "$script"; done
  pg_ctl --wait --mode fast stop
fi
exec "$@" -c "listen_addresses=*" -c "unix_socket_directories=$socket"
