/** A case of grpc-go's interoperability client. */
export interface InteropCase {
  readonly name: string;
  /** Further flags of the client. */
  readonly flags?: readonly string[];
}

/** The client refuses a number of iterations that its threads cannot share. */
const soak = ['--soak_iterations=64', '--soak_num_threads=4', '--soak_overall_timeout_seconds=20'];
const reports = ['--service_config_json={"loadBalancingConfig":[{"test_backend_metrics_load_balancer":{}}]}'];

/** Every case that needs no credentials of a cloud. */
export const interopCases: readonly InteropCase[] = [
  { name: 'empty_unary' },
  { name: 'large_unary' },
  { name: 'client_streaming' },
  { name: 'server_streaming' },
  { name: 'ping_pong' },
  { name: 'empty_stream' },
  { name: 'timeout_on_sleeping_server' },
  { name: 'cancel_after_begin' },
  { name: 'cancel_after_first_response' },
  { name: 'status_code_and_message' },
  { name: 'special_status_message' },
  { name: 'custom_metadata' },
  { name: 'unimplemented_method' },
  { name: 'unimplemented_service' },
  { name: 'pick_first_unary' },
  { name: 'orca_per_rpc', flags: reports },
  { name: 'orca_oob', flags: reports },
  { name: 'rpc_soak', flags: soak },
  { name: 'channel_soak', flags: soak },
];

/** The cases that the client offers and that are left out: all of them fetch a token from Google. */
export const cloudCases: readonly string[] = [
  'compute_engine_creds',
  'service_account_creds',
  'jwt_token_creds',
  'per_rpc_creds',
  'oauth2_auth_token',
  'google_default_credentials',
  'compute_engine_channel_credentials',
];
