import type { CheckAnswer } from '../../../protocol/calls.ts';

interface FindingsProps {
  readonly check: CheckAnswer | undefined;
  readonly isChanged: boolean;
}

/** What is wrong with the edited text. */
export function Findings({ check, isChanged }: FindingsProps) {
  const { errors = [], warnings = [] } = check ?? {};
  return (
    <div class="findings">
      <p role="status">
        {check === undefined
          ? 'checking …'
          : errors.length > 0
            ? 'The text has faults:'
            : isChanged
              ? 'The text is valid.'
              : 'This is the active configuration. Ctrl-Space shows what a place may hold.'}
      </p>
      <ul>
        {errors.map(({ message }) => (
          <li key={message} class="bad-text">
            {message}
          </li>
        ))}
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </div>
  );
}
