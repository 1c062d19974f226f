// A gateway that does the least of what apid does, on grpc-go: a client certificate is required, and every call goes to
// the node's socket without being decoded. tests/bench measures it beside apid.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"io"
	"log"
	"net"
	"os"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
)

var (
	listen           = flag.String("listen", "", "host:port of the listener")
	backend          = flag.String("backend", "", "unix socket of the node")
	certificate      = flag.String("certificate", "", "PEM file of the listener's certificate")
	key              = flag.String("key", "", "PEM file of its key")
	authority        = flag.String("ca", "", "PEM file of the authority of clients")
	role             = flag.String("role", "", "key=value, added to the metadata of each call")
	streamWindow     = flag.Int("stream-window", 65535, "flow-control window of a call, in bytes")
	connectionWindow = flag.Int("connection-window", 65535, "flow-control window of a connection, in bytes")
	maxMessage       = flag.Int("max-message", 4<<20, "size of the largest message, in bytes")
)

// rawCodec passes messages on as the bytes that arrived.
type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }

func (rawCodec) Marshal(value any) (mem.BufferSlice, error) {
	return *value.(*mem.BufferSlice), nil
}

func (rawCodec) Unmarshal(data mem.BufferSlice, value any) error {
	data.Ref()
	*value.(*mem.BufferSlice) = data
	return nil
}

var bothWays = grpc.StreamDesc{ServerStreams: true, ClientStreams: true}

// forward makes the same call to the node. Its context ends with the client's, and with it the call to the node.
func forward(node *grpc.ClientConn, roleKey, roleValue string) grpc.StreamHandler {
	return func(_ any, inbound grpc.ServerStream) error {
		method, _ := grpc.MethodFromServerStream(inbound)
		incoming, _ := metadata.FromIncomingContext(inbound.Context())
		incoming.Set(roleKey, roleValue)
		ctx, cancel := context.WithCancel(metadata.NewOutgoingContext(inbound.Context(), incoming))
		defer cancel()
		outbound, err := node.NewStream(ctx, &bothWays, method)
		if err != nil {
			return err
		}
		go func() {
			if copyRequests(inbound, outbound) != nil {
				cancel()
			}
		}()
		return copyAnswers(outbound, inbound)
	}
}

func copyRequests(from grpc.ServerStream, to grpc.ClientStream) error {
	for {
		var message mem.BufferSlice
		if err := from.RecvMsg(&message); errors.Is(err, io.EOF) {
			return to.CloseSend()
		} else if err != nil {
			return err
		}
		// io.EOF: the node has ended the call. The other direction has its status.
		if err := to.SendMsg(&message); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
}

func copyAnswers(from grpc.ClientStream, to grpc.ServerStream) error {
	header, err := from.Header()
	if err == nil {
		err = to.SendHeader(header)
	}
	for err == nil {
		var message mem.BufferSlice
		if err = from.RecvMsg(&message); err == nil {
			err = to.SendMsg(&message)
		}
	}
	to.SetTrailer(from.Trailer())
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func credentialsOf() credentials.TransportCredentials {
	own, err := tls.LoadX509KeyPair(*certificate, *key)
	if err != nil {
		log.Fatal(err)
	}
	pem, err := os.ReadFile(*authority)
	if err != nil {
		log.Fatal(err)
	}
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM(pem)
	return credentials.NewTLS(&tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{own},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    clients,
	})
}

func main() {
	flag.Parse()
	roleKey, roleValue, _ := strings.Cut(*role, "=")
	node, err := grpc.NewClient(
		"unix:"+*backend,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithInitialWindowSize(int32(*streamWindow)),
		grpc.WithInitialConnWindowSize(int32(*connectionWindow)),
		grpc.WithDefaultCallOptions(
			grpc.ForceCodecV2(rawCodec{}),
			grpc.MaxCallRecvMsgSize(*maxMessage),
			grpc.MaxCallSendMsgSize(*maxMessage),
		),
	)
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer(
		grpc.Creds(credentialsOf()),
		grpc.ForceServerCodecV2(rawCodec{}),
		grpc.UnknownServiceHandler(forward(node, roleKey, roleValue)),
		grpc.InitialWindowSize(int32(*streamWindow)),
		grpc.InitialConnWindowSize(int32(*connectionWindow)),
		grpc.MaxRecvMsgSize(*maxMessage),
		grpc.MaxSendMsgSize(*maxMessage),
	)
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(server.Serve(listener))
}
