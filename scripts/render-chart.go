// Renders the Helm chart with Helm's engine and functions (text/template, sprig), for machines on which Helm cannot be installed:
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run scripts/render-chart.go < '{"Values": …, "Release": …, "Chart": …}'
//
// A value that the chart does not have is an error, as in `helm lint --strict`.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

func main() {
	var given map[string]interface{}
	check(json.NewDecoder(os.Stdin).Decode(&given))
	chart := template.New("chart").Option("missingkey=error").Funcs(sprig.TxtFuncMap())
	chart.Funcs(template.FuncMap{
		"include": func(name string, data interface{}) (string, error) {
			var text strings.Builder
			err := chart.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"toYaml": func(value interface{}) (string, error) {
			text, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(text), "\n"), err
		},
	})
	files, err := filepath.Glob("deploy/helm/varve/templates/*")
	check(err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		check(err)
		_, err = chart.New(filepath.Base(file)).Parse(string(source))
		check(err)
	}
	rendered := map[string]string{}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var text strings.Builder
		check(chart.ExecuteTemplate(&text, name, given))
		rendered[name] = text.String()
	}
	check(json.NewEncoder(os.Stdout).Encode(rendered))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
