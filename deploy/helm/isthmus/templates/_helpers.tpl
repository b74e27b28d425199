{{/* Each of these takes (dict "root" $ "component" "api"). */}}

{{/* Prefix of the names of all objects; takes the root. */}}
{{- define "isthmus.name" -}}
{{- $name := ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) (contains .Chart.Name .Release.Name) -}}
{{- $name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{/* Also all labels of pods: a label with a version would restart held-back pods at each upgrade. */}}
{{- define "isthmus.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* For objects only, never for pods. */}}
{{- define "isthmus.labels" -}}
{{ include "isthmus.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "isthmus.metadata" -}}
name: {{ include "isthmus.name" .root }}-{{ .component }}
labels: {{- include "isthmus.labels" . | nindent 2 }}
{{- end }}

{{/* Which settings of `secrets` each process gets: only those that it uses. */}}
{{- define "isthmus.files" -}}
migrate: []
retention: []
api:
  - TEMPORAL_TLS_CA
  - TEMPORAL_TLS_CERT
  - TEMPORAL_TLS_KEY
  - TEMPORAL_API_KEY
  - SEALING_KEYS
  - OTEL_EXPORTER_OTLP_HEADERS
  - PORTAL_CLIENT_SECRET
  - TLS_CERT
  - TLS_KEY
  - TLS_CLIENT_CA
worker:
  - TEMPORAL_TLS_CA
  - TEMPORAL_TLS_CERT
  - TEMPORAL_TLS_KEY
  - TEMPORAL_API_KEY
  - SEALING_KEYS
  - OTEL_EXPORTER_OTLP_HEADERS
  - RECEIVER_CERTIFICATES
worker-amqp:
  - TEMPORAL_TLS_CA
  - TEMPORAL_TLS_CERT
  - TEMPORAL_TLS_KEY
  - TEMPORAL_API_KEY
  - SEALING_KEYS
  - OTEL_EXPORTER_OTLP_HEADERS
  - RECEIVER_CERTIFICATES
  - AMQP_LOGINS
{{- end }}

{{/* The files of a process, by the name of their setting: DATABASE_URL, and what `secrets` has for it. */}}
{{- define "isthmus.filesOf" -}}
{{- $roles := dict "migrate" "owner" "retention" "owner" "api" "api" "worker" "worker" "worker-amqp" "worker" -}}
DATABASE_URL: {{ toJson (index .root.Values.databases (index $roles .component)) }}
{{- $at := . }}
{{- range $name := index (include "isthmus.files" . | fromYaml) .component }}
{{- /* The Worker Controller gives its workers the API key itself. */}}
{{- $given := and (eq $name "TEMPORAL_API_KEY") (eq $at.component "worker") $at.root.Values.workerController.enabled }}
{{- if and (hasKey $at.root.Values.secrets $name) (not $given) }}
{{ $name }}: {{ toJson (index $at.root.Values.secrets $name) }}
{{- end }}
{{- end }}
{{- end }}

{{/* When the job migrate runs. In a trial, after the Postgres that the chart itself starts. */}}
{{- define "isthmus.migrateHook" -}}
helm.sh/hook: {{ ternary "post-install,pre-upgrade" "pre-install,pre-upgrade" .Values.trial.enabled }}
{{- end }}

{{- define "isthmus.temporalAddress" -}}
{{- if .Values.trial.enabled -}}
{{ .Values.config.TEMPORAL_ADDRESS | default (printf "%s-temporal:7233" (include "isthmus.name" .)) }}
{{- else -}}
{{ required "Set config.TEMPORAL_ADDRESS: host:port of the Temporal frontend." .Values.config.TEMPORAL_ADDRESS }}
{{- end -}}
{{- end }}

{{/* What all pods have, also those of the trial; takes the root. No pod calls the API of Kubernetes. */}}
{{- define "isthmus.anyPod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.scheduling }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "isthmus.pod" -}}
{{ include "isthmus.anyPod" .root }}
securityContext: {{- include "isthmus.podSecurity" 1000 | nindent 2 }}
{{- $own := dict "labelSelector" (dict "matchLabels" (include "isthmus.selector" . | fromYaml)) }}
{{- with .root.Values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- range . }}
  - {{- toYaml (hasKey . "labelSelector" | ternary . (merge (deepCopy .) $own)) | nindent 4 }}
  {{- end }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: {}
  - name: settings
    projected:
      # The user of the image reads them by its group.
      defaultMode: 0440
      sources:
        {{- range $name, $from := include "isthmus.filesOf" . | fromYaml }}
        - secret:
            name: {{ $from.name }}
            items: [{ key: {{ $from.key | quote }}, path: {{ $name }} }]
        {{- end }}
  {{- with .root.Values.volumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* Takes the id of the user and group. */}}
{{- define "isthmus.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "isthmus.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "isthmus.image" -}}
{{- $own := dict "api" .root.Values.api.tag "worker" .root.Values.worker.tag "worker-amqp" .root.Values.worker.tag -}}
{{- $tag := coalesce (get $own .component) .root.Values.image.tag .root.Chart.AppVersion -}}
image: {{ printf "%s:%s" .root.Values.image.repository $tag | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
{{- end }}

{{/* What all our containers have, but for the command and the settings that come from values.config. */}}
{{- define "isthmus.container" -}}
{{ include "isthmus.image" . }}
securityContext: {{- include "isthmus.containerSecurity" . | nindent 2 }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: settings, mountPath: /run/isthmus, readOnly: true }
  {{- with .root.Values.volumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
env:
  {{- range $name, $from := include "isthmus.filesOf" . | fromYaml }}
  - { name: {{ $name }}_FILE, value: /run/isthmus/{{ $name }} }
  {{- end }}
{{- end }}

{{/* Restarts pods after a change of the settings. */}}
{{- define "isthmus.annotations" -}}
checksum/settings: {{ list .root.Values.config .root.Values.secrets | toJson | sha256sum }}
{{- end }}
