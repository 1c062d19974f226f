// The methods that the test gateway forwards. The shipped apid leaves unknown methods to machined, which refuses them.

const testService = '/grpc.testing.TestService';

/** Every method of grpc-go's test server, and one that the server itself refuses. */
export const testingMethods: ReadonlySet<string> = new Set([
  ...[
    'EmptyCall',
    'UnaryCall',
    'CacheableUnaryCall',
    'StreamingOutputCall',
    'StreamingInputCall',
    'FullDuplexCall',
    'HalfDuplexCall',
    'UnimplementedCall',
  ].map((name) => `${testService}/${name}`),
  '/xds.service.orca.v3.OpenRcaService/StreamCoreMetrics',
]);
