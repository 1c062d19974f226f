// The server of grpc-go's interoperability tests, on a unix socket, as machined is behind apid. grpc-go's own program
// listens on every address of the machine.
package main

import (
	"context"
	"log"
	"net"
	"os"
	"time"

	xds "github.com/cncf/xds/go/xds/data/orca/v3"
	reports "github.com/cncf/xds/go/xds/service/orca/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/interop"
	testing "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/orca"
)

// The client waits for a few seconds, and grpc-go's own service of reports allows an interval of 30 s at least.
const reportInterval = 200 * time.Millisecond

type reportService struct {
	reports.UnimplementedOpenRcaServiceServer
	recorder orca.ServerMetricsRecorder
}

func (service reportService) StreamCoreMetrics(
	_ *reports.OrcaLoadReportRequest,
	stream grpc.ServerStreamingServer[xds.OrcaLoadReport],
) error {
	for {
		metrics := service.recorder.(orca.ServerMetricsProvider).ServerMetrics()
		report := &xds.OrcaLoadReport{
			CpuUtilization: metrics.CPUUtilization,
			MemUtilization: metrics.MemUtilization,
			Utilization:    metrics.Utilization,
		}
		if err := stream.Send(report); err != nil {
			return err
		}
		select {
		case <-stream.Context().Done():
			return stream.Context().Err()
		case <-time.After(reportInterval):
		}
	}
}

// The case pick_first_unary compares the names of servers, which grpc-go's test service leaves empty.
func nameServer(
	ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler,
) (any, error) {
	reply, err := handle(ctx, request)
	if asked, ok := request.(*testing.SimpleRequest); ok && err == nil && asked.GetFillServerId() {
		reply.(*testing.SimpleResponse).ServerId = "interop-server"
	}
	return reply, err
}

func main() {
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	recorder := orca.NewServerMetricsRecorder()
	server := grpc.NewServer(orca.CallMetricsServerOption(nil), grpc.ChainUnaryInterceptor(nameServer))
	reports.RegisterOpenRcaServiceServer(server, reportService{recorder: recorder})
	testing.RegisterTestServiceServer(
		server,
		interop.NewTestServer(interop.NewTestServerOptions{MetricsRecorder: recorder}),
	)
	log.Print("interop server listens")
	log.Fatal(server.Serve(listener))
}
