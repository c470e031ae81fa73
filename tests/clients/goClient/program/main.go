// Makes calls with the hosted service's public Go client, as its users' programs would. Each line that it reads is one
// call: {"client": "reserved_domains", "call": "Create", "args": [{"domain": "app.example.com"}]}. Each line that it
// writes is what came of one: {"answer": …} or {"error": {"status": 409, "message": "…"}}; lists are read to their end.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"

	"github.com/ngrok/ngrok-api-go/v7"
	"github.com/ngrok/ngrok-api-go/v7/edge_modules/https_edge_route_circuit_breaker"
	"github.com/ngrok/ngrok-api-go/v7/edge_modules/https_edge_route_compression"
	"github.com/ngrok/ngrok-api-go/v7/edge_modules/https_edge_route_request_headers"
	"github.com/ngrok/ngrok-api-go/v7/edge_modules/https_edge_route_response_headers"
	"github.com/ngrok/ngrok-api-go/v7/edge_modules/https_edge_route_webhook_verification"
	"github.com/ngrok/ngrok-api-go/v7/edge_modules/tcp_edge_backend"
	"github.com/ngrok/ngrok-api-go/v7/edge_modules/tcp_edge_ip_restriction"
	"github.com/ngrok/ngrok-api-go/v7/edges/tcp"
	"github.com/ngrok/ngrok-api-go/v7/endpoints"
	"github.com/ngrok/ngrok-api-go/v7/ip_policies"
	"github.com/ngrok/ngrok-api-go/v7/ip_restrictions"
	"github.com/ngrok/ngrok-api-go/v7/reserved_addrs"
	"github.com/ngrok/ngrok-api-go/v7/reserved_domains"
	"github.com/ngrok/ngrok-api-go/v7/tls_certificates"
	"github.com/ngrok/ngrok-api-go/v7/tunnel_sessions"
	"github.com/ngrok/ngrok-api-go/v7/tunnels"
)

func clients(config *ngrok.ClientConfig) map[string]any {
	return map[string]any{
		"https_edge_route_circuit_breaker":      https_edge_route_circuit_breaker.NewClient(config),
		"https_edge_route_compression":          https_edge_route_compression.NewClient(config),
		"https_edge_route_request_headers":      https_edge_route_request_headers.NewClient(config),
		"https_edge_route_response_headers":     https_edge_route_response_headers.NewClient(config),
		"https_edge_route_webhook_verification": https_edge_route_webhook_verification.NewClient(config),
		"tcp_edge_backend":                      tcp_edge_backend.NewClient(config),
		"tcp_edge_ip_restriction":               tcp_edge_ip_restriction.NewClient(config),
		"tcp_edges":                             tcp.NewClient(config),
		"endpoints":                             endpoints.NewClient(config),
		"ip_policies":                           ip_policies.NewClient(config),
		"ip_restrictions":                       ip_restrictions.NewClient(config),
		"reserved_addrs":                        reserved_addrs.NewClient(config),
		"reserved_domains":                      reserved_domains.NewClient(config),
		"tls_certificates":                      tls_certificates.NewClient(config),
		"tunnel_sessions":                       tunnel_sessions.NewClient(config),
		"tunnels":                               tunnels.NewClient(config),
	}
}

type call struct {
	Client string
	Call   string
	Args   []json.RawMessage
}

func main() {
	known := clients(ngrok.NewClientConfig(os.Getenv("API_KEY"), ngrok.WithBaseURL(os.Getenv("API_URL"))))
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		answer, err := makeCall(known, lines.Bytes())
		if err == nil {
			_ = out.Encode(map[string]any{"answer": answer})
			continue
		}
		status := int32(0)
		var refused *ngrok.Error
		if errors.As(err, &refused) {
			status = refused.StatusCode
		}
		_ = out.Encode(map[string]any{"error": map[string]any{"status": status, "message": err.Error()}})
	}
}

func makeCall(known map[string]any, line []byte) (any, error) {
	var asked call
	if err := json.Unmarshal(line, &asked); err != nil {
		return nil, err
	}
	method := reflect.ValueOf(known[asked.Client]).MethodByName(asked.Call)
	if !method.IsValid() {
		return nil, fmt.Errorf("the client has no %s.%s", asked.Client, asked.Call)
	}
	background := reflect.ValueOf(context.Background())
	var given []reflect.Value
	for index := range method.Type().NumIn() {
		kind := method.Type().In(index)
		if kind == reflect.TypeFor[context.Context]() {
			given = append(given, background)
			continue
		}
		value := reflect.New(kind)
		if len(asked.Args) > 0 {
			if err := json.Unmarshal(asked.Args[0], value.Interface()); err != nil {
				return nil, err
			}
			asked.Args = asked.Args[1:]
		}
		given = append(given, value.Elem())
	}
	results := method.Call(given)
	last := results[len(results)-1]
	if next := last.MethodByName("Next"); next.IsValid() && asked.Call == "List" {
		items := []any{}
		for next.Call([]reflect.Value{background})[0].Bool() {
			items = append(items, last.MethodByName("Item").Call(nil)[0].Interface())
		}
		err, _ := last.MethodByName("Err").Call(nil)[0].Interface().(error)
		return items, err
	}
	if err, _ := last.Interface().(error); err != nil {
		return nil, err
	}
	return results[0].Interface(), nil
}
