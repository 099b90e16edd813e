{{- define "varve.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end -}}

{{- define "varve.hosts" -}}
{{- $name := printf "%s-varve" .Release.Name -}}
{{- $own := list $name (printf "%s.%s" $name .Release.Namespace) (printf "%s.%s.svc.cluster.local" $name .Release.Namespace) -}}
{{- $hosts := concat $own .Values.server.allowedHosts -}}
{{- if .Values.ingress.enabled -}}{{- $hosts = append $hosts .Values.ingress.host -}}{{- end -}}
{{- join "," $hosts -}}
{{- end -}}

{{/* What a server and a worker have in common. */}}
{{- define "varve.container" -}}
image: {{ printf "%s:%s" .Values.image.repository .Values.image.tag | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
env:
  - name: DATABASE_URL
    valueFrom:
      secretKeyRef:
        name: {{ .Values.database.secretName }}
        key: {{ .Values.database.secretKey }}
  {{- with .Values.database.replicaSecretKey }}
  - name: VARVE_REPLICA_URL
    valueFrom:
      secretKeyRef:
        name: {{ $.Values.database.secretName }}
        key: {{ . }}
  {{- end }}
  - name: VARVE_SCHEMA
    value: {{ .Values.database.schema | quote }}
  - name: VARVE_ALLOWED_HOSTS
    value: {{ include "varve.hosts" . | quote }}
  {{- range $name, $value := .Values.environment }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
{{- with .Values.environmentFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: tmp, mountPath: /data }
{{- end -}}

{{- define "varve.pod" -}}
# On SIGTERM open requests are finished and running jobs go back to the queue.
terminationGracePeriodSeconds: 20
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
volumes:
  - { name: tmp, emptyDir: {} }
{{- end -}}
