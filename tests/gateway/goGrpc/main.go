// Calls the methods of tests/gateway/grpcServer.ts, and prints what each gave as JSON.
// Arguments: ADDRESS NAME AUTHORITY.pem
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
)

type raw struct{}

func (raw) Marshal(v any) ([]byte, error)      { return *v.(*[]byte), nil }
func (raw) Unmarshal(data []byte, v any) error { *v.(*[]byte) = append([]byte{}, data...); return nil }
func (raw) Name() string                       { return "raw" }

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func stream(ctx context.Context, connection *grpc.ClientConn, method string, messages int) ([]string, error) {
	desc := &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}
	stream, err := connection.NewStream(ctx, desc, method)
	if err != nil {
		return nil, err
	}
	for index := 0; index < messages; index++ {
		message := []byte(fmt.Sprint(index))
		if err := stream.SendMsg(&message); err != nil {
			return nil, err
		}
	}
	if err := stream.CloseSend(); err != nil {
		return nil, err
	}
	got := []string{}
	for {
		var answer []byte
		err := stream.RecvMsg(&answer)
		if err == io.EOF {
			return got, nil
		}
		if err != nil {
			return nil, err
		}
		got = append(got, string(answer))
	}
}

// Many streams at once: none ends before all have an answer.
func many(connection *grpc.ClientConn, count int) int {
	var opened, done sync.WaitGroup
	opened.Add(count)
	done.Add(count)
	answered := make(chan bool, count)
	for index := 0; index < count; index++ {
		go func() {
			defer done.Done()
			desc := &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}
			stream, err := connection.NewStream(context.Background(), desc, "/tests.Echo/Chat")
			check(err)
			message := []byte("one")
			check(stream.SendMsg(&message))
			var answer []byte
			check(stream.RecvMsg(&answer))
			opened.Done()
			opened.Wait()
			check(stream.SendMsg(&message))
			check(stream.RecvMsg(&answer))
			check(stream.CloseSend())
			answered <- stream.RecvMsg(&answer) == io.EOF
		}()
	}
	done.Wait()
	close(answered)
	good := 0
	for one := range answered {
		if one {
			good++
		}
	}
	return good
}

func main() {
	tls, err := credentials.NewClientTLSFromFile(os.Args[3], os.Args[2])
	check(err)
	connection, err := grpc.NewClient("passthrough:///"+os.Args[1], grpc.WithTransportCredentials(tls),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(raw{})))
	check(err)
	ctx := context.Background()
	big := bytes.Repeat([]byte("x"), 4_000_000)
	var answer []byte
	check(connection.Invoke(ctx, "/tests.Echo/Once", &big, &answer))
	count, err := stream(ctx, connection, "/tests.Echo/Count", 1)
	check(err)
	sum, err := stream(ctx, connection, "/tests.Echo/Sum", 3)
	check(err)
	chat, err := stream(ctx, connection, "/tests.Echo/Chat", 3)
	check(err)
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	late := connection.Invoke(short, "/tests.Echo/Never", &[]byte{}, &answer)
	refused := connection.Invoke(ctx, "/tests.Echo/Refused", &[]byte{}, &answer)
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"big": len(answer), "count": count, "sum": sum, "chat": chat, "late": status.Code(late).String(),
		"refused": []string{status.Code(refused).String(), status.Convert(refused).Message()},
		"many":    many(connection, 1000),
	}))
}
