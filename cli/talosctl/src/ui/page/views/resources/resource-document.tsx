import { useState } from 'preact/hooks';
import { Waiting } from '../../parts/panel.tsx';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import type { FeedState, KeptResource } from '../../store/feed-state.ts';
import { Diff } from './diff.tsx';

interface ResourceDocumentProps {
  readonly id: string;
  readonly node: string;
  readonly kept: KeptResource | undefined;
  readonly others: readonly string[];
  /** The node to compare with; empty for none. */
  readonly other: string;
  readonly otherFeed: FeedState | undefined;
  readonly onOther: (name: string) => void;
}

/** A resource as YAML, compared with another node or with an earlier version. */
export function ResourceDocument(props: ResourceDocumentProps) {
  const { id, node, kept, others, other, otherFeed, onOther } = props;
  const [version, setVersion] = useState('');
  const earlier = kept?.earlier.find((each) => String(each.version) === version);
  return (
    <section class="resource-document" aria-label={`Document of ${id}`}>
      <h2>{id}</h2>
      <p class="compare">
        <label>
          Compare with node{' '}
          <select value={other} onChange={({ currentTarget }) => onOther(currentTarget.value)}>
            <option value="">–</option>
            {others.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          with version{' '}
          <select
            value={version}
            disabled={kept === undefined || kept.earlier.length === 0}
            onChange={({ currentTarget }) => setVersion(currentTarget.value)}
          >
            <option value="">–</option>
            {kept?.earlier.map((each) => (
              <option key={each.version}>{each.version}</option>
            ))}
          </select>
        </label>
      </p>
      {kept === undefined ? (
        <Waiting problem={undefined} what="the resource" />
      ) : earlier !== undefined ? (
        <Diff before={earlier.yaml} after={kept.now.yaml} label="Difference between the versions" />
      ) : other !== '' ? (
        <Comparison
          node={node}
          other={other}
          kept={kept}
          theirs={otherFeed?.resources?.get(id)}
          isKnown={otherFeed?.resources !== undefined}
          problem={otherFeed?.problem}
        />
      ) : (
        <ScrollRegion label="YAML" class="document">
          <pre>{kept.now.yaml}</pre>
        </ScrollRegion>
      )}
    </section>
  );
}

interface ComparisonProps {
  readonly node: string;
  readonly other: string;
  readonly kept: KeptResource;
  readonly theirs: KeptResource | undefined;
  readonly isKnown: boolean;
  readonly problem: string | undefined;
}

function Comparison({ node, other, kept, theirs, isKnown, problem }: ComparisonProps) {
  if (!isKnown) return <Waiting problem={problem} what={`the resource of ${other}`} />;
  if (theirs === undefined) return <p class="nothing">{other} has no such resource.</p>;
  return (
    <>
      <p class="soft">
        − {other}, + {node}
      </p>
      <Diff
        before={theirs.now.yaml}
        after={kept.now.yaml}
        label={`Difference between ${other} and ${node}`}
      />
    </>
  );
}
