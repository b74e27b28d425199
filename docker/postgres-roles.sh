#!/bin/sh
# Run once by the Postgres image, on an empty data volume: a role and a database for us, a role for Temporal, which
# makes its own two databases.
set -eu

psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
  --set isthmus_password="$ISTHMUS_DB_PASSWORD" --set temporal_password="$TEMPORAL_DB_PASSWORD" <<'SQL'
create role isthmus login createrole password :'isthmus_password';
create database isthmus owner isthmus;
create role temporal login createdb password :'temporal_password';
SQL
