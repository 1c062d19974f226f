import type { ConversionAnswer, ProofLine } from '../../../protocol/calls.ts';
import { Diff } from '../resources/diff.tsx';

/** The releases whose forms a configuration can have, with what is theirs. */
export const conversionTargets = [
  { version: '1.14', form: 'documents of 1.14' },
  { version: '1.13', form: 'sections of 1.13' },
] as const;

export type ConversionTarget = (typeof conversionTargets)[number]['version'];

/** A conversion, and what it was made of. */
export interface ShownConversion extends ConversionAnswer {
  readonly to: ConversionTarget;
  readonly text: string;
}

interface ConversionProps {
  readonly conversion: ShownConversion;
  /** Whether the editor has another text by now. */
  readonly isOld: boolean;
  /** Puts the converted text into the editor. */
  readonly onTake: () => void;
  readonly onClose: () => void;
}

/** A converted text, what the conversion says about it, and what a node would do with both. */
export function Conversion({ conversion, isOld, onTake, onClose }: ConversionProps) {
  const { to, before, after, notes, proof } = conversion;
  const { form } = conversionTargets.find(({ version }) => version === to) ?? { form: to };
  const isSame = before === after;
  return (
    <section class="conversion" aria-label={`Conversion to ${to}`}>
      <h2>{isSame ? `Nothing changes for the ${form}` : `As ${form}`}</h2>
      {isOld && <p class="soft">The text has changed since: convert it again.</p>}
      <h3>What the conversion says</h3>
      {notes.length === 0 ? (
        <p class="soft">Nothing is written out, kept or left out.</p>
      ) : (
        <ul class="findings">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <h3>What a node makes of both</h3>
      <ProofLines proof={proof} />
      {!isSame && <Diff {...{ before, after }} label="Converted documents" context={3} />}
      <p class="edit-actions">
        {!isSame && (
          <button type="button" class="primary" disabled={isOld || !proof.isProven} onClick={onTake}>
            Put it into the editor
          </button>
        )}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </p>
    </section>
  );
}

function ProofLines({ proof }: Pick<ConversionAnswer, 'proof'>) {
  const { isProven, differences, unproven, equalFiles } = proof;
  const files = equalFiles === 1 ? '1 file is' : `${equalFiles} files are`;
  return (
    <>
      {isProven ? (
        <p role="status">Every difference has a named cause. {files} equal byte by byte.</p>
      ) : (
        <p class="problem" role="alert">
          Something is different without a named cause, so this text cannot be taken over.
        </p>
      )}
      {differences.length > 0 && (
        <ul class="findings">
          {differences.map((each) => (
            <Difference key={each.line} {...each} />
          ))}
        </ul>
      )}
      {unproven.length > 0 && (
        <details>
          <summary>
            {unproven.length === 1 ? '1 part is not proven' : `${unproven.length} parts are not proven`}
          </summary>
          <ul class="findings">
            {unproven.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function Difference({ cause, line }: ProofLine) {
  return <li class={cause === 'unnamed' ? 'bad-text' : ''}>{line}</li>;
}
