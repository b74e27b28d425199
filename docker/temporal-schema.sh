#!/bin/sh
# Creates or updates Temporal's two databases; SQL_HOST, SQL_USER, SQL_PASSWORD and SQL_PLUGIN come from the
# environment. Safe to run again: existing objects stay.
set -eu

for name in temporal visibility; do
  database=temporal
  [ "$name" = visibility ] && database=temporal_visibility
  export SQL_DATABASE="$database"
  temporal-sql-tool create --defaultdb postgres
  temporal-sql-tool setup-schema --version 0.0
  temporal-sql-tool update-schema --schema-dir "/etc/temporal/schema/postgresql/v12/$name/versioned"
done
