const variable = 'OTEL_RESOURCE_ATTRIBUTES';

/**
 * The variable with which every span of a node's programs names the node, in addition to what the user's environment adds to spans.
 * Source: OpenTelemetry specification: environment variables; OpenTelemetry semantic conventions: hosts.
 */
export function nodeInSpans(
  node: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const others = environment[variable] ?? '';
  return { [variable]: `${others === '' ? '' : `${others},`}host.name=${node}` };
}
