{{/* Base of all names, at most 40 characters, so that a role and a hash fit behind it. */}}
{{- define "cardwright.name" -}}
{{- $name := ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) (contains .Chart.Name .Release.Name) -}}
{{- $name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "cardwright.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end -}}
{{- end -}}
{{- end }}

{{/* Names the image in labels and in the name of a Service. */}}
{{- define "cardwright.imageHash" -}}
{{- include "cardwright.image" . | sha256sum | trunc 10 -}}
{{- end }}

{{/* Labels that never change. Takes a dict of root and role. */}}
{{- define "cardwright.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .role }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- define "cardwright.labels" -}}
{{ include "cardwright.selector" . }}
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* The roles that run: a JSON list. */}}
{{- define "cardwright.roles" -}}
{{- $roles := list "api" "worker" -}}
{{- range $role := list "desk" "signer" "dispatcher" -}}
{{- if (index $.Values $role).enabled }}{{ $roles = append $roles $role }}{{ end -}}
{{- end -}}
{{- toJson $roles -}}
{{- end }}

{{/* Ports by name: what a role listens on. The signer listens nowhere. */}}
{{- define "cardwright.ports" -}}
{{- if eq . "api" }}{ "http": 8080, "metrics": 9464 }
{{- else if eq . "desk" }}{ "desk": 8091, "metrics": 9464 }
{{- else if or (eq . "worker") (eq . "dispatcher") }}{ "metrics": 9464 }
{{- else }}{}
{{- end -}}
{{- end }}

{{- define "cardwright.isStoring" -}}
{{- and (has .role (list "api" "worker" "desk")) (ne .root.Values.documents.claim "") | ternary "yes" "" -}}
{{- end }}

{{/* All variables of a role, as YAML. Secrets are names of files. */}}
{{- define "cardwright.environment" -}}
{{- $root := .root }}
{{- $role := .role }}
{{- $table := $root.Files.Get "settings.yaml" | fromYaml }}
{{- $fixed := dict "NODE_ENV" "production" }}
{{- $ports := include "cardwright.ports" $role | fromJson }}
{{- if $ports.metrics }}{{ $_ := merge $fixed (dict "METRICS_HOST" "0.0.0.0" "METRICS_PORT" "9464") }}{{ end }}
{{- if $ports.http }}{{ $_ := merge $fixed (dict "HOST" "0.0.0.0" "PORT" "8080") }}{{ end }}
{{- if $ports.desk }}{{ $_ := merge $fixed (dict "DESK_HOST" "0.0.0.0" "DESK_PORT" "8091") }}{{ end }}
{{- if ne $role "migrate" }}{{ $_ := set $fixed "DATA_DIR" "/var/lib/cardwright/data" }}{{ end }}
{{- if has $role (list "api" "worker" "desk" "dispatcher") }}{{ $_ := set $fixed "SHUTDOWN_SECONDS" (toString (int $root.Values.shutdownSeconds)) }}{{ end }}
{{- if and (eq $role "worker") $root.Values.dispatcher.enabled }}{{ $_ := set $fixed "WORKER_WEBHOOKS" "off" }}{{ end }}
{{- if has $role (list "api" "desk") }}{{ $_ := set $fixed "DRAIN_SECONDS" (toString (int $root.Values.drainSeconds)) }}{{ end }}
{{- if has $role (list "api" "worker" "desk") }}
{{- if eq $root.Values.settings.MODE "sandbox" }}{{ $_ := set $fixed "SANDBOX_PARTIES_URL" (printf "http://%s-api" (include "cardwright.name" $root)) }}{{ end }}
{{- if include "cardwright.isStoring" . }}{{ $_ := set $fixed "DOCUMENTS_FOLDER" "/var/lib/cardwright/documents" }}{{ end }}
{{- if $root.Values.bankFiles.claim }}{{ $_ := set $fixed "BANK_FILES_FOLDER" "/var/lib/cardwright/bank-files" }}{{ end }}
{{- if $root.Values.rates.configMap }}{{ $_ := set $fixed "RATES_FILE" "/etc/cardwright/rates/rates.json" }}{{ end }}
{{- end }}
{{- range $name, $rule := $table.settings }}
{{- $value := index $root.Values.settings $name }}
{{- if and (has $role $rule.roles) (ne $value nil) }}{{ $_ := set $fixed $name (toString $value) }}{{ end }}
{{- end }}
{{- range $name, $rule := $table.secrets }}
{{- if and (has $role $rule.roles) (index $root.Values.secrets $name) }}{{ $_ := set $fixed (printf "%s_FILE" $name) (printf "/etc/cardwright/secrets/%s" $name) }}{{ end }}
{{- end }}
{{- toYaml $fixed }}
{{- end }}

{{/* The secrets of a role as one volume. */}}
{{- define "cardwright.secretsVolume" -}}
{{- $root := .root }}
{{- $role := .role }}
{{- $table := $root.Files.Get "settings.yaml" | fromYaml -}}
- name: secrets
  projected:
    defaultMode: 288 # 0440, for the group of the pod
    sources:
      {{- range $name, $rule := $table.secrets }}
      {{- with index $root.Values.secrets $name }}
      {{- if has $role $rule.roles }}
      - secret:
          name: {{ .name }}
          items:
            - key: {{ .key }}
              path: {{ $name }}
      {{- end }}
      {{- end }}
      {{- end }}
{{- end }}

{{- define "cardwright.podSecurity" -}}
runAsNonRoot: true
# The user "node" of the image.
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "cardwright.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "cardwright.command" -}}
["node", "--require", "./scripts/typescript.cjs", "src/main.ts", "--role", {{ quote . }}]
{{- end }}

{{/* What the chart cannot render. */}}
{{- define "cardwright.check" -}}
{{- $settings := .Values.settings -}}
{{- if and (not $settings.DOCUMENTS_S3_BUCKET) (not .Values.documents.claim) }}
{{- fail "documents.claim: name a PersistentVolumeClaim that many nodes may mount, or give settings.DOCUMENTS_S3_BUCKET" }}
{{- end }}
{{- if ne (eq ($settings.RATES_SOURCE | default "party") "file") (ne .Values.rates.configMap "") }}
{{- fail "rates.configMap: must be given with settings.RATES_SOURCE=file, and only with it" }}
{{- end }}
{{- range $name := list "BANK_COMPANY" "BANK_BIC" "BANK_ACCOUNTS" }}
{{- if ne (hasKey $settings $name) (ne $.Values.bankFiles.claim "") }}
{{- fail (printf "settings.%s: must be given with bankFiles.claim, and only with it" $name) }}
{{- end }}
{{- end }}
{{- if and .Values.signer.enabled (not .Values.secrets.SIGNER_KEYS) }}
{{- fail "secrets.SIGNER_KEYS: must be given, or signer.enabled must be false" }}
{{- end }}
{{- if and (eq $settings.MODE "live") .Values.signer.enabled (not $settings.SIGNER_OPERATORS) }}
{{- fail "settings.SIGNER_OPERATORS: must be given with settings.MODE=live, or signer.enabled must be false" }}
{{- end }}
{{- if .Values.networkPolicy.enabled }}
{{- range $who := list "postgres" "temporal" }}
{{- if not (index $.Values.networkPolicy $who).to }}
{{- fail (printf "networkPolicy.%s.to: name who may be reached, or set networkPolicy.enabled to false" $who) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
