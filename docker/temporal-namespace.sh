#!/bin/sh
# Creates the namespace and its search attributes (workflows/ids.ts); TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE come
# from the environment. Safe to run again: what is there stays.
set -eu

until temporal operator cluster health >/dev/null; do sleep 1; done

# Kept for a week after a payment has closed: longer than its last delivery attempt (CBK-1: 72 h).
temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 7d

temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" --type Keyword \
  --name Uetr --name PaymentStatus --name Corridor --name SourceSystem --name DestinationSystem \
  --name Priority --name Fxp
