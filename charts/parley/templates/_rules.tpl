{{/*
What each role may do: exactly the verbs it uses, and a test that reads the API server's audit log
holds it to that. Here and nowhere else. In: {root, role}.
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
# Referenced Secrets are read; the endpoints' own are written, which the admission policy holds to
# those of that name, label and type.
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

{{/* In the release's own namespace only. In: {role}. */}}
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
