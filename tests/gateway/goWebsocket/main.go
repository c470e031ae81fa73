// A WebSocket server with gorilla's own check of the origin, and its client.
package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/gorilla/websocket"
)

func main() {
	if len(os.Args) == 1 {
		serve()
		return
	}
	fmt.Print(call(os.Args[1], os.Args[2], os.Args[3]))
}

// serve says its address, and echoes what it is sent.
func serve() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr())
	upgrader := websocket.Upgrader{}
	panic(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		connection, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer connection.Close()
		kind, text, err := connection.ReadMessage()
		if err == nil {
			_ = connection.WriteMessage(kind, text)
		}
	})))
}

// call returns what the server echoes, or the status of its refusal.
func call(address, url, origin string) string {
	dialer := websocket.Dialer{
		NetDialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		},
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}
	connection, answer, err := dialer.Dial(url, http.Header{"Origin": {origin}})
	if err != nil {
		if answer == nil {
			return err.Error()
		}
		return fmt.Sprint(answer.StatusCode)
	}
	defer connection.Close()
	if err := connection.WriteMessage(websocket.TextMessage, []byte("echo")); err != nil {
		return err.Error()
	}
	_, text, err := connection.ReadMessage()
	if err != nil {
		return err.Error()
	}
	return string(text)
}
