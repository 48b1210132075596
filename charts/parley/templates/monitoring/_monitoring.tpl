{{/*
Labels that each scrape adds to the metrics, so that the rules and the dashboard can select one release. All roles have
the same job, and the role is the component. Pods without a role (a migration, a database) are not scraped.
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

{{/* Rejects two monitors, which would write each sample of a pod twice with the same labels. */}}
{{- define "parley.monitoring.oneMonitor" -}}
{{- if and .Values.monitoring.podMonitor.enabled .Values.monitoring.serviceMonitor.enabled }}
{{- fail "monitoring: enable podMonitor or serviceMonitor, not both: they scrape the same pods" }}
{{- end }}
{{- end }}

{{/*
Rules in files/alerts with the names of this release instead of the example's, without disabled alerts. The file is not
a Helm template, because rules contain Prometheus templates in {{ }}.
*/}}
{{- define "parley.monitoring.rules" -}}
{{- $name := include "parley.fullname" . }}
{{- $values := .Values.monitoring.prometheusRule }}
{{- $scope := printf `namespace="%s",job="%s"` .Release.Namespace $name }}
{{- $pods := printf `namespace="%s",pod=~"%s-(` .Release.Namespace $name }}
{{- /* The path is a link only with a base URL. Browsers would resolve a relative path against the current page. */}}
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
