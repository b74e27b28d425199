{{/* The pod of a worker; takes (dict "root" $ "component" "worker" "command" (list ...) "resources" (dict ...)). */}}
{{- define "isthmus.workerPod" -}}
metadata:
  labels: {{- include "isthmus.selector" . | nindent 4 }}
  annotations: {{- include "isthmus.annotations" . | nindent 4 }}
spec:
  {{- include "isthmus.pod" . | nindent 2 }}
  # After SIGTERM a worker finishes its work (up to 12 s). Nobody calls it, so it needs no preStop hook.
  terminationGracePeriodSeconds: 30
  containers:
    - name: {{ .component }}
      command: {{ toJson .command }}
      {{- include "isthmus.container" . | nindent 6 }}
        - { name: WORKER_SERVES, value: {{ ternary "amqp" "payments" (eq .component "worker-amqp") }} }
      envFrom:
        - configMapRef: { name: {{ include "isthmus.name" .root }}-settings }
      ports:
        - { name: metrics, containerPort: {{ .root.Values.config.METRICS_PORT }} }
      startupProbe:
        httpGet: { path: /health/ready, port: metrics }
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 60
      readinessProbe:
        httpGet: { path: /health/ready, port: metrics }
        periodSeconds: 5
        timeoutSeconds: 5
      # Patient, because a worker recovers by itself: two minutes without any answer.
      livenessProbe:
        httpGet: { path: /health/live, port: metrics }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 12
      resources: {{- toYaml .resources | nindent 8 }}
    {{- if and .root.Values.trial.enabled (eq .component "worker") }}
    {{- include "isthmus.sandbox" . | nindent 4 }}
    {{- end }}
{{- end }}

{{/* The simulated parties share the loopback of the worker, the only place where it calls parties over http (SEC-2). */}}
{{- define "isthmus.sandbox" -}}
- name: sandbox
  command: [node, --enable-source-maps, dist/sandbox.js]
  {{- include "isthmus.image" . | nindent 2 }}
  securityContext: {{- include "isthmus.containerSecurity" . | nindent 4 }}
  volumeMounts:
    - { name: tmp, mountPath: /tmp }
  env:
    - { name: JOURNAL_DIR, value: /tmp/journal }
# Brings what the parties send to PUBLIC_URL, on this loopback, to the api.
- name: loopback
  command:
    - node
    - --eval
    - |
      net.createServer((near) => {
        const far = net.connect({{ .root.Values.config.PORT }}, '{{ include "isthmus.name" .root }}-api');
        near.pipe(far).pipe(near);
        for (const one of [near, far]) one.on('error', () => { near.destroy(); far.destroy(); });
      }).listen(8080, '127.0.0.1');
      process.on('SIGTERM', () => process.exit());
  {{- include "isthmus.image" . | nindent 2 }}
  securityContext: {{- include "isthmus.containerSecurity" . | nindent 4 }}
{{- end }}
