{{/* Prefix of all object names. At most 40 characters, which leaves room for suffixes. */}}
{{- define "parley.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Name of a role's objects. In: {root, role}. */}}
{{- define "parley.roleName" -}}
{{- printf "%s-%s" (include "parley.fullname" .root) .role -}}
{{- end -}}

{{/* Labels for selectors. They must never change. In: the root. */}}
{{- define "parley.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Labels for the selectors of one role, or of `postgresql` or `test`. In: {root, role}. */}}
{{- define "parley.roleSelectorLabels" -}}
{{ include "parley.selectorLabels" .root }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{/* Labels of every object. In: the root. */}}
{{- define "parley.labels" -}}
{{ include "parley.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: parley
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Labels of an object of one role. In: {root, role}. */}}
{{- define "parley.roleLabels" -}}
{{ include "parley.labels" .root }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{/*
Reference to an image. A digest takes precedence over a tag, and the image's own registry over the parent chart's. In:
{root, image, tag}.
*/}}
{{- define "parley.imageReference" -}}
{{- $repository := .image.repository -}}
{{- with default (dig "imageRegistry" "" (default dict .root.Values.global)) .image.registry -}}
{{- $repository = printf "%s/%s" (trimSuffix "/" .) $repository -}}
{{- end -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $repository .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (default .tag .image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "parley.image" -}}
{{- include "parley.imageReference" (dict "root" . "image" .Values.image "tag" .Chart.AppVersion) -}}
{{- end -}}

{{/* Name of a role's service account. In: {root, role}. */}}
{{- define "parley.serviceAccountName" -}}
{{- $account := (get .root.Values .role).serviceAccount -}}
{{- if $account.create -}}
{{- default (include "parley.roleName" .) $account.name -}}
{{- else -}}
{{- default "default" $account.name -}}
{{- end -}}
{{- end -}}

{{/* URL of the API for pods in this cluster. In: the root. */}}
{{- define "parley.apiUrl" -}}
{{- printf "http://%s-api.%s.svc:%v" (include "parley.fullname" .) .Release.Namespace .Values.service.port -}}
{{- end -}}

{{/* Public URL of the API, which events contain. In: the root. */}}
{{- define "parley.baseUrl" -}}
{{- if .Values.baseUrl -}}
{{- .Values.baseUrl -}}
{{- else if and .Values.ingress.enabled .Values.ingress.host -}}
{{- printf "%s://%s" (ternary "https" "http" (not (empty .Values.ingress.tls))) .Values.ingress.host -}}
{{- else if and .Values.httpRoute.enabled .Values.httpRoute.hostnames -}}
{{- printf "https://%s" (first .Values.httpRoute.hostnames) -}}
{{- else -}}
{{- include "parley.apiUrl" . -}}
{{- end -}}
{{- end -}}

{{/* Plural names of Parley's kinds, read from the CRDs so that new kinds are included. Out: {"plurals": []}. */}}
{{- define "parley.kinds" -}}
{{- $plurals := list -}}
{{- range $path, $_ := .Files.Glob "files/crds/*.yaml" -}}
{{- $plurals = append $plurals ($.Files.Get $path | fromYaml).spec.names.plural -}}
{{- end -}}
{{- dict "plurals" $plurals | toJson -}}
{{- end -}}
