{{- define "faultline.labels" -}}
app.kubernetes.io/name: faultline
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "faultline.selector" -}}
app.kubernetes.io/name: faultline
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* `to` of a network policy: the peers in the values, or every pod and every address except metadata services. */}}
{{- define "faultline.to" -}}
{{- if . -}}
{{ toYaml . }}
{{- else -}}
- namespaceSelector: {}
- ipBlock:
    cidr: 0.0.0.0/0
    except: [168.63.129.16/32, 169.254.0.0/16, 100.100.100.200/32, 192.0.0.192/32]
- ipBlock:
    cidr: "::/0"
    except: ["fd00:ec2::254/128"]
{{- end }}
{{- end }}

{{- define "faultline.secret" -}}
{{ required "existingSecret: name the Secret with secrets.json and the addresses (values.yaml says which keys)" .Values.existingSecret }}
{{- end }}
