{{/*
Labels every scrape gives to what it reads, so that the rules and the dashboard find one release:
one job for all roles, and the role as component. What has no role (a migration, a database) is
not scraped.
*/}}
{{- define "parley.monitoring.relabelings" -}}
- sourceLabels: [__meta_kubernetes_pod_label_app_kubernetes_io_component]
  regex: operator|api|delivery
  action: keep
- sourceLabels: [__meta_kubernetes_pod_label_app_kubernetes_io_component]
  targetLabel: component
- targetLabel: job
  replacement: {{ include "parley.fullname" . }}
{{- end }}

{{/* Two monitors of the same pods would write each sample twice, under the same labels. */}}
{{- define "parley.monitoring.oneMonitor" -}}
{{- if and .Values.monitoring.podMonitor.enabled .Values.monitoring.serviceMonitor.enabled }}
{{- fail "monitoring: enable podMonitor or serviceMonitor, not both: they scrape the same pods" }}
{{- end }}
{{- end }}

{{/*
The rules of files/alerts with this release's names in place of the example's, without the alerts
that are switched off. Rules contain Prometheus' own {{ }}, so the file is no Helm template.
*/}}
{{- define "parley.monitoring.rules" -}}
{{- $name := include "parley.fullname" . }}
{{- $values := .Values.monitoring.prometheusRule }}
{{- $scope := printf `namespace="%s",job="%s"` .Release.Namespace $name }}
{{- $pods := printf `namespace="%s",pod=~"%s-(` .Release.Namespace $name }}
{{- /* A link only where it leads somewhere: a browser would look for a path beside the page it shows. */}}
{{- $runbooks := "runbook: docs/runbooks/" }}
{{- with $values.runbookBaseUrl }}{{ $runbooks = printf "runbook_url: %s/" (trimSuffix "/" .) }}{{ end }}
{{- $text := .Files.Get "files/alerts/parley.rules.yaml"
  | replace `namespace="parley",job="parley"` $scope
  | replace `namespace="parley",pod=~"parley-(` $pods
  | replace "runbook: docs/runbooks/" $runbooks }}
{{- $groups := list }}
{{- range (fromYaml $text).groups }}
  {{- $rules := list }}
  {{- range .rules }}
    {{- if not (has (default "" .alert) $values.disabledAlerts) }}
      {{- $rules = append $rules . }}
    {{- end }}
  {{- end }}
  {{- if $rules }}
    {{- $groups = append $groups (dict "name" .name "rules" $rules) }}
  {{- end }}
{{- end }}
{{- toYaml (concat $groups $values.extraRuleGroups) }}
{{- end }}
