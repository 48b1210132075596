{{/*
RBAC rules of each role, defined only here. A role may use exactly the verbs that it needs. A test checks this with the
audit log of the API server. In: {root, role}.
*/}}
{{- define "parley.rules" -}}
{{- $plurals := (include "parley.kinds" .root | fromJson).plurals -}}
{{- if eq .role "operator" -}}
- apiGroups: [parley.dev]
  resources:
    {{- toYaml $plurals | nindent 4 }}
  verbs: [list, watch, patch]
- apiGroups: [parley.dev]
  resources:
    {{- range $plurals }}
    - {{ . }}/status
    {{- end }}
  verbs: [patch]
# The operator reads referenced Secrets, and writes the Secrets that it creates. The admission policy limits writes to
# Secrets with the expected name, label and type.
- apiGroups: ['']
  resources: [secrets]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: ['']
  resources: [configmaps]
  verbs: [get, list, watch]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- else -}}
- apiGroups: [parley.dev]
  resources:
    {{- toYaml $plurals | nindent 4 }}
  verbs: [get, create, patch, delete]
{{- end -}}
{{- end -}}

{{/* RBAC rules that apply only in the release's own namespace. In: {role}. */}}
{{- define "parley.ownRules" -}}
{{- if eq .role "operator" -}}
# Leader election.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create, get, list, watch, update]
{{- end -}}
{{- end -}}

{{/* In: {root, role}. */}}
{{- define "parley.subjects" -}}
- kind: ServiceAccount
  name: {{ include "parley.serviceAccountName" . }}
  namespace: {{ .root.Release.Namespace }}
{{- end -}}
