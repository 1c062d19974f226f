/** The variables of machined that a program may inherit: all but those that are meant for machined itself. */
export function childEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(
    ([name]) => !/^(TRACEPARENT|LOG_FILE|USERDATA|MACHINED_.*|OTEL_.*)$/.test(name),
  );
  return Object.fromEntries(kept);
}
