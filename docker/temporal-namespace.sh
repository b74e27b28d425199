#!/bin/sh
# Creates the namespace and its search attributes (contract/ids.ts); TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE come
# from the environment. Safe to run again: existing objects stay.
set -eu

until temporal operator cluster health >/dev/null; do sleep 1; done

# How long an execution is kept once it has closed: longer than its last delivery attempt (CBK-1: 72 h), so that somebody
# can look at it. The record is the database's (LIF-6).
temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "${TEMPORAL_RETENTION:-7d}"

# One at a time: of several names in one command only the first is registered. The server sees a new namespace only
# when it next reads the list of them, some seconds later.
for name in Uetr PaymentStatus Reason Corridor SourceSystem DestinationSystem Priority Fxp; do
  attempts=0
  until temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" --type Keyword --name "$name"; do
    attempts=$((attempts + 1))
    [ "$attempts" -lt 60 ] || exit 1
    sleep 1
  done
done
