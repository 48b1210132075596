{{/*
Deployment of a role. The roles differ in their values, in their ports and in the token for the Kubernetes API, which
delivery does not have. In: {root, role}.
*/}}
{{- define "parley.deployment" -}}
{{- $root := .root }}
{{- $role := .role }}
{{- $values := get $root.Values $role }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "parley.roleName" . }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "parley.roleLabels" . | nindent 4 }}
spec:
  {{- with include "parley.replicas" . }}
  replicas: {{ . }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  selector:
    matchLabels:
      {{- include "parley.roleSelectorLabels" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "parley.podLabels" . | nindent 8 }}
      annotations:
        kubectl.kubernetes.io/default-container: {{ $role }}
        {{- if eq (include "parley.database" $root | fromJson).kind "url" }}
        # Restarts the pods, because the URL may have changed. A hash of the URL would reveal something about the
        # password to anybody who can read pods.
        parley.dev/release-revision: {{ $root.Release.Revision | quote }}
        {{- end }}
        {{- with mustMergeOverwrite (dict) $root.Values.podAnnotations $values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- include "parley.podSpec" . | nindent 6 }}
{{- end -}}

{{- /*
Number of pods in the Deployment. With an autoscaler, this is first the minimum, because without a number there would be
one pod until the autoscaler acts. Later it is the current number. It must stay set, because Helm removes a field that
the next release omits, and that would mean one pod again. In: {root, role}.
*/}}
{{- define "parley.replicas" -}}
{{- $values := get .root.Values .role -}}
{{- if not (include "parley.isAutoscaled" .) -}}
{{- $values.replicas -}}
{{- else if $values.autoscaling.setReplicas -}}
{{- $scaler := ternary "keda" "autoscaling" (dig "keda" "enabled" false $values) -}}
{{- $live := (lookup "apps/v1" "Deployment" .root.Release.Namespace (include "parley.roleName" .)).spec -}}
{{- dig "replicas" (get $values $scaler).minReplicas (default dict $live) -}}
{{- end -}}
{{- end -}}

{{/* "true" if an autoscaler sets the number of replicas. In: {root, role}. */}}
{{- define "parley.isAutoscaled" -}}
{{- $values := get .root.Values .role -}}
{{- if or (dig "autoscaling" "enabled" false $values) (dig "keda" "enabled" false $values) }}true{{ end -}}
{{- end -}}

{{/* In: {root, role}. */}}
{{- define "parley.podLabels" -}}
{{- /* Contains no version, because a changed label would restart pods that are otherwise unchanged. */ -}}
{{- $own := include "parley.roleSelectorLabels" . | fromYaml -}}
{{- $values := .root.Values -}}
{{- mustMergeOverwrite (dict) $values.commonLabels $values.podLabels (get $values .role).podLabels $own | toYaml -}}
{{- end -}}

{{/*
Security context of a pod. OpenShift chooses a user for each namespace and rejects others, so the chart omits its own
IDs there. IDs that the user has changed are kept. In: {root, context, id}; `id` is the chart's own ID.
*/}}
{{- define "parley.podSecurityContext" -}}
{{- $context := .context -}}
{{- if .root.Capabilities.APIVersions.Has "security.openshift.io/v1" -}}
{{- range $name := list "runAsUser" "runAsGroup" "fsGroup" -}}
{{- if eq (get $context $name | default 0 | int) $.id -}}
{{- $context = omit $context $name -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $context -}}
{{- end -}}

{{- define "parley.podSpec" -}}
{{- $root := .root }}
{{- $role := .role }}
{{- $values := get $root.Values $role }}
{{- $hasToken := ne $role "delivery" -}}
serviceAccountName: {{ include "parley.serviceAccountName" . }}
# The token is mounted below, only in the container that uses it.
automountServiceAccountToken: false
# With service links, a Service named `parley` would set PARLEY_PORT to its URL.
enableServiceLinks: false
terminationGracePeriodSeconds: {{ add $values.terminationGracePeriodSeconds (dig "callDrainSeconds" 0 $values) }}
securityContext:
  {{- include "parley.podSecurityContext" (dict "root" $root "context" $root.Values.podSecurityContext "id" 65532) | nindent 2 }}
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with default $root.Values.priorityClassName $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with mustMergeOverwrite (dict) $root.Values.nodeSelector $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with concat $root.Values.tolerations $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with default $root.Values.affinity $values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  {{- if $values.topologySpreadConstraints }}
  {{- toYaml $values.topologySpreadConstraints | nindent 2 }}
  {{- else }}
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "parley.roleSelectorLabels" $ | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
  {{- end }}
initContainers:
  - name: migrate
    image: {{ include "parley.image" $root }}
    imagePullPolicy: {{ $root.Values.image.pullPolicy }}
    args: [migrate]
    env:
      {{- include "parley.withExtraEnv" (dict "env" (include "parley.migrateEnv" $root) "of" .) | nindent 6 }}
    resources:
      {{- toYaml $root.Values.migrate.resources | nindent 6 }}
    securityContext:
      {{- toYaml $root.Values.securityContext | nindent 6 }}
    volumeMounts:
      {{- include "parley.volumeMounts" . | nindent 6 }}
containers:
  - name: {{ $role }}
    image: {{ include "parley.image" $root }}
    imagePullPolicy: {{ $root.Values.image.pullPolicy }}
    args: [{{ $role }}]
    env:
      {{- include "parley.withExtraEnv" (dict "env" (include "parley.env" .) "of" .) | nindent 6 }}
    ports:
      {{- if eq $role "api" }}
      - name: http
        containerPort: 8080
      {{- end }}
      - name: metrics
        containerPort: 9090
    # A starting pod waits for the database and fills its caches. After the start, 30 s without a response are too long.
    startupProbe:
      httpGet: { path: /healthz, port: metrics }
      periodSeconds: 2
      timeoutSeconds: 2
      failureThreshold: 60
    livenessProbe:
      httpGet: { path: /healthz, port: metrics }
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 3
    readinessProbe:
      httpGet: { path: /readyz, port: metrics }
      periodSeconds: 5
      timeoutSeconds: 2
      failureThreshold: 2
    {{- with $values.preStopSleepSeconds }}
    lifecycle:
      preStop:
        sleep:
          seconds: {{ . }}
    {{- end }}
    resources:
      {{- toYaml $values.resources | nindent 6 }}
    securityContext:
      {{- toYaml $root.Values.securityContext | nindent 6 }}
    volumeMounts:
      {{- include "parley.volumeMounts" . | nindent 6 }}
      {{- if $hasToken }}
      - name: kubernetes-api
        mountPath: /var/run/secrets/kubernetes.io/serviceaccount
        readOnly: true
      {{- end }}
volumes:
  - name: tmp
    emptyDir:
      sizeLimit: 64Mi
  {{- if $hasToken }}
  # The same volume that Kubernetes adds by default, which it would mount into every container of the pod.
  - name: kubernetes-api
    projected:
      defaultMode: 0444
      sources:
        - serviceAccountToken:
            path: token
            expirationSeconds: 3607
        - configMap:
            name: kube-root-ca.crt
            items: [{ key: ca.crt, path: ca.crt }]
        - downwardAPI:
            items: [{ path: namespace, fieldRef: { fieldPath: metadata.namespace } }]
  {{- end }}
  {{- with concat $root.Values.extraVolumes $values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* In: the root. */}}
{{- define "parley.databaseEnv" -}}
{{- $database := include "parley.database" . | fromJson -}}
{{- include "parley.secretEnv" (dict "name" "DATABASE_URL" "secret" $database.secret "key" $database.key) -}}
{{- end -}}

{{/* In: the root. */}}
{{- define "parley.migrateEnv" -}}
{{- include "parley.databaseEnv" . }}
- name: PARLEY_LOG_LEVEL
  value: {{ .Values.logLevel }}
{{- end -}}

{{/* In: {root, role}. */}}
{{- define "parley.env" -}}
{{- $values := .root.Values -}}
{{- include "parley.migrateEnv" .root }}
{{- $encryptionKey := include "parley.encryptionKey" .root | fromJson }}
{{ include "parley.secretEnv" (dict "name" "PARLEY_ENCRYPTION_KEY" "secret" $encryptionKey.secret "key" $encryptionKey.key) }}
{{- with $values.encryptionKey.previous }}
{{- if .existingSecret }}
{{ include "parley.secretEnv" (dict "name" "PARLEY_ENCRYPTION_KEY_PREVIOUS" "secret" .existingSecret "key" .existingSecretKey) }}
{{- end }}
{{- end }}
- name: PARLEY_STORE
  value: kubernetes
- name: PARLEY_METRICS_PORT
  value: '9090'
- name: PARLEY_BASE_URL
  value: {{ include "parley.baseUrl" .root | quote }}
# Also set if empty, which means that no private destination may be reached.
- name: PARLEY_EGRESS_ALLOW
  value: {{ include "parley.egressAllow" .root | quote }}
{{- with $values.otlpEndpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ . | quote }}
{{- end }}
{{- if eq .role "operator" }}
- name: PARLEY_WATCH_NAMESPACES
  value: {{ join "," $values.watchNamespaces | quote }}
{{- end }}
{{- if eq .role "api" }}
- name: PARLEY_PORT
  value: '8080'
- name: PARLEY_CALL_DRAIN_SEC
  value: {{ .root.Values.api.callDrainSeconds | int | quote }}
{{- $apiKey := include "parley.apiKey" .root | fromJson }}
{{- if $apiKey.secret }}
{{ include "parley.secretEnv" (dict "name" "PARLEY_API_KEY" "secret" $apiKey.secret "key" $apiKey.key) }}
{{- with $values.apiKey.namespace }}
- name: PARLEY_API_KEY_NAMESPACE
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- if not (kindIs "invalid" $values.rateLimit) }}
- name: PARLEY_RATE_LIMIT
  value: {{ $values.rateLimit | int | quote }}
{{- end }}
{{- if $values.corsOrigins }}
- name: PARLEY_CORS_ORIGINS
  value: {{ join "," $values.corsOrigins | quote }}
{{- end }}
{{- range $name, $shares := $values.limits }}
{{- if $shares }}
- name: PARLEY_LIMIT_{{ snakecase $name | upper }}
  value: {{ $shares | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- if and $values.model.url (ne .role "delivery") }}
- name: PARLEY_MODEL_URL
  value: {{ $values.model.url | quote }}
- name: PARLEY_MODEL
  value: {{ required "model.name: required if model.url is set. It is the model for agents that do not name one" $values.model.name | quote }}
{{- if $values.model.embeddingName }}
- name: PARLEY_EMBEDDING_MODEL
  value: {{ $values.model.embeddingName | quote }}
{{- end }}
{{- if $values.model.existingSecret }}
{{ include "parley.secretEnv" (dict "name" "PARLEY_MODEL_KEY" "secret" $values.model.existingSecret "key" $values.model.existingSecretKey) }}
{{- end }}
{{- end }}
{{- if ne .role "delivery" }}
{{- range $name, $quota := $values.quotas }}
{{- if not (kindIs "invalid" $quota) }}
- name: PARLEY_QUOTA_{{ snakecase $name | upper }}
  value: {{ $quota | int64 | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- if ne .role "operator" }}
{{- range $name, $days := $values.retention }}
{{- if not (kindIs "invalid" $days) }}
- name: PARLEY_RETENTION_{{ snakecase $name | upper }}
  value: {{ $days | int64 | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- if dig "limits" "memory" "" (get $values .role).resources }}
# The heap may use two thirds of the limit. The rest is for buffers and the program itself.
- name: NODE_OPTIONS
  value: --max-semi-space-size=8 --max-old-space-size-percentage=65
{{- end }}
{{- end -}}

{{/*
Environment variables with those of extraEnv. A variable in extraEnv replaces the chart's variable of the same name,
because server-side apply rejects duplicate names. In: {env: YAML, of: {root, role}}.
*/}}
{{- define "parley.withExtraEnv" -}}
{{- $extra := concat .of.root.Values.extraEnv (get .of.root.Values .of.role).extraEnv -}}
{{- $byName := dict -}}
{{- $names := list -}}
{{- range concat (fromYamlArray .env) $extra -}}
{{- if not (hasKey $byName .name) }}{{ $names = append $names .name }}{{ end -}}
{{- $_ := set $byName .name . -}}
{{- end -}}
{{- $env := list -}}
{{- range $names }}{{ $env = append $env (get $byName .) }}{{ end -}}
{{- toYaml $env -}}
{{- end -}}

{{/* In: {root, role}. */}}
{{- define "parley.volumeMounts" -}}
- name: tmp
  mountPath: /tmp
{{- with concat .root.Values.extraVolumeMounts (get .root.Values .role).extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}
