#!/bin/sh
# Creates or updates Temporal's two databases, in the image temporalio/admin-tools; SQL_PLUGIN=postgres12_pgx, SQL_HOST,
# SQL_PORT=5432, SQL_USER and SQL_PASSWORD come from the environment. Safe to run again: existing objects stay.
set -eu

for name in temporal visibility; do
  database=temporal
  [ "$name" = visibility ] && database=temporal_visibility
  export SQL_DATABASE="$database"
  temporal-sql-tool create --defaultdb postgres
  temporal-sql-tool setup-schema --version 0.0
  temporal-sql-tool update-schema --schema-dir "/etc/temporal/schema/postgresql/v12/$name/versioned"
done
