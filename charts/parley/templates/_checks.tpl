{{/*
Rejects invalid values with a helpful message. The schema would only show the regular expression. In: the root.
*/}}
{{- define "parley.checkValues" -}}
{{- $values := .Values -}}
{{- range $index, $one := $values.egressAllow -}}
{{- if not (regexMatch "^([0-9a-fA-F:.]+/[0-9]{1,3}|(\\*|[a-zA-Z0-9_-]+)\\.([a-zA-Z0-9_-]+\\.)*[a-zA-Z_][a-zA-Z0-9_-]*)$" $one) -}}
{{- fail (printf "egressAllow[%d]: %q must be a CIDR, such as 10.20.0.0/16, or a host name with at least two parts, such as rx.default.svc or *.default.svc" $index $one) -}}
{{- end -}}
{{- end -}}
{{- range $index, $one := $values.corsOrigins -}}
{{- if not (regexMatch "^(\\*|https?://[^/,A-Z]+)$" $one) -}}
{{- fail (printf "corsOrigins[%d]: %q must be a lower-case origin without a path, such as https://app.example.com, or *" $index $one) -}}
{{- end -}}
{{- end -}}
{{- range $name, $text := dict "baseUrl" $values.baseUrl "otlpEndpoint" $values.otlpEndpoint "monitoring.prometheusRule.runbookBaseUrl" $values.monitoring.prometheusRule.runbookBaseUrl -}}
{{- if not (regexMatch "^(https?://.+)?$" $text) -}}
{{- fail (printf "%s: %q must be an http or https URL, such as https://parley.example.com" $name $text) -}}
{{- end -}}
{{- end -}}
{{- if not (regexMatch "^(https?://[^?#]+)?$" $values.model.url) -}}
{{- fail (printf "model.url: %q must be an http or https URL without a query or fragment, such as https://models.example.com/v1" $values.model.url) -}}
{{- end -}}
{{- if not (regexMatch "^(postgres(ql)?://.+)?$" $values.database.url) -}}
{{- fail "database.url: must start with postgresql://, such as postgresql://parley:PASSWORD@db.example.com:5432/parley" -}}
{{- end -}}
{{- range $name := list "kubernetesApiCidrs" "databaseCidrs" "deliveryExcept" "deliveryExceptIPv6" -}}
{{- range $index, $one := get $values.networkPolicy $name -}}
{{- if not (regexMatch "^[0-9a-fA-F:.]+/[0-9]{1,3}$" $one) -}}
{{- fail (printf "networkPolicy.%s[%d]: %q must be a CIDR, such as 192.0.2.10/32" $name $index $one) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
