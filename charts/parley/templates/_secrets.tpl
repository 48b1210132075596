{{/*
Secret and key with the URL of the database. The first of these that is set is used: an existing Secret, a URL,
CloudNativePG, the bundled database. In: the root. Out: {"kind", "secret", "key"} as JSON.
*/}}
{{- define "parley.database" -}}
{{- $name := include "parley.fullname" . -}}
{{- $db := .Values.database -}}
{{- if $db.existingSecret -}}
{{- dict "kind" "existing" "secret" $db.existingSecret "key" $db.existingSecretKey | toJson -}}
{{- else if $db.url -}}
{{- dict "kind" "url" "secret" (printf "%s-database" $name) "key" "url" | toJson -}}
{{- else if $db.cloudnativepg.enabled -}}
{{- dict "kind" "cloudnativepg" "secret" (printf "%s-db-app" $name) "key" "uri" | toJson -}}
{{- else if $db.bundled.enabled -}}
{{- dict "kind" "bundled" "secret" (printf "%s-postgresql" $name) "key" "url" | toJson -}}
{{- else -}}
{{- fail "no database: set database.existingSecret (a Secret with a postgresql:// URL), database.url, database.cloudnativepg.enabled or database.bundled.enabled" -}}
{{- end -}}
{{- end -}}

{{/* Secret with the key that encrypts endpoint secrets at rest. Out: {"secret", "key", "generate"} as JSON. */}}
{{- define "parley.encryptionKey" -}}
{{- $given := .Values.encryptionKey -}}
{{- if $given.existingSecret -}}
{{- dict "secret" $given.existingSecret "key" $given.existingSecretKey "generate" false | toJson -}}
{{- else -}}
{{- dict "secret" (printf "%s-encryption-key" (include "parley.fullname" .)) "key" "encryption-key" "generate" true | toJson -}}
{{- end -}}
{{- end -}}

{{/*
Secret with the first API key. Out: {"secret", "key", "generate"} as JSON; `secret` is empty if there is no key.
*/}}
{{- define "parley.apiKey" -}}
{{- $given := .Values.apiKey -}}
{{- if $given.existingSecret -}}
{{- dict "secret" $given.existingSecret "key" $given.existingSecretKey "generate" false | toJson -}}
{{- else if $given.generate -}}
{{- dict "secret" (printf "%s-api-key" (include "parley.fullname" .)) "key" "api-key" "generate" true | toJson -}}
{{- else -}}
{{- dict "secret" "" "key" "" "generate" false | toJson -}}
{{- end -}}
{{- end -}}

{{/* Environment variable with a value from a Secret. In: {name, secret, key}. */}}
{{- define "parley.secretEnv" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key }}
{{- end -}}

{{/* Namespace of the first API key. In: the root. */}}
{{- define "parley.keyNamespace" -}}
{{- .Values.apiKey.namespace | default "default" -}}
{{- end -}}

{{/* "true" if the namespace of the first API key is watched. In: the root. */}}
{{- define "parley.watchesKey" -}}
{{- if or (not .Values.watchNamespaces) (has (include "parley.keyNamespace" .) .Values.watchNamespaces) }}true{{ end -}}
{{- end -}}

{{/* "true" if `helm test` has tests. In: the root. */}}
{{- define "parley.hasTest" -}}
{{- $hasKey := (include "parley.apiKey" . | fromJson).secret -}}
{{- if and .Values.tests.enabled $hasKey (include "parley.watchesKey" .) }}true{{ end -}}
{{- end -}}

{{/* "true" if the tests include the drill with voice calls. In: the root. */}}
{{- define "parley.hasVoiceDrill" -}}
{{- if and .Values.tests.voice.enabled (include "parley.hasTest" .) }}true{{ end -}}
{{- end -}}

{{/* Host of the voice drill, which acts as speech provider, carrier and webhook receiver. In: the root. */}}
{{- define "parley.voiceDrillHost" -}}
{{- printf "%s.%s.svc" (include "parley.roleName" (dict "root" . "role" "voice-drill")) .Release.Namespace -}}
{{- end -}}

{{/* Hosts and networks in the value egressAllow, and the host of the voice drill. In: the root. */}}
{{- define "parley.egressAllow" -}}
{{- $hosts := .Values.egressAllow -}}
{{- if include "parley.hasVoiceDrill" . }}{{ $hosts = append $hosts (include "parley.voiceDrillHost" .) }}{{ end -}}
{{- join "," $hosts -}}
{{- end -}}
