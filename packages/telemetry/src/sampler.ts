import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

/**
 * The sampler that `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG` select. Unset or unknown: sample every
 * trace, unless the parent decides otherwise. Source: OpenTelemetry specification, environment variables.
 */
export function createSampler(environment: Readonly<Record<string, string | undefined>>): Sampler {
  const argument = Number.parseFloat(environment.OTEL_TRACES_SAMPLER_ARG ?? '1');
  const ratio = Number.isFinite(argument) && argument >= 0 && argument <= 1 ? argument : 1;
  switch (environment.OTEL_TRACES_SAMPLER) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
    default:
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
  }
}
