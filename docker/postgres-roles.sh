#!/bin/sh
# Run once by the Postgres image, on an empty data volume: a database for us, the role that owns it, those of api and worker,
# whose rights the migrations give them (SEC-6), and a role for Temporal, which makes its own two databases.
set -eu

psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
  --set isthmus_password="$ISTHMUS_DB_PASSWORD" \
  --set api_password="$API_DB_PASSWORD" --set worker_password="$WORKER_DB_PASSWORD" \
  --set temporal_password="$TEMPORAL_DB_PASSWORD" <<'SQL'
create role isthmus login createrole password :'isthmus_password';
create role isthmus_api login password :'api_password';
create role isthmus_worker login password :'worker_password';
create database isthmus owner isthmus;
create role temporal login createdb password :'temporal_password';
SQL
