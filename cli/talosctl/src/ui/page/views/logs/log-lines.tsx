import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { clockText, dateText } from '../../parts/figures.ts';
import { linkTo } from '../../shell/route.ts';
import type { MergedLine } from '../../store/merged-log.ts';

interface LogLinesProps {
  readonly lines: readonly MergedLine[];
  /** Colour of each node, 0 to 7. */
  readonly colours: ReadonlyMap<string, number>;
  /** Stays at the newest line. */
  readonly isFollowing: boolean;
  readonly onFollow: (isFollowing: boolean) => void;
  readonly onTrace: (trace: string) => void;
}

const rowHeight = 20;
/** Rows beyond the edges, which are there before they scroll into view. */
const margin = 10;

/** Lines of logs, of which only those in view exist. */
export function LogLines({ lines, colours, isFollowing, onFollow, onTrace }: LogLinesProps) {
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [chosen, setChosen] = useState<MergedLine>();
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    if (isFollowing) element.scrollTop = element.scrollHeight;
    const { scrollTop: top, clientHeight: height } = element;
    if (top !== view.top || height !== view.height) setView({ top, height });
  }, [lines, isFollowing, view]);
  const scroll = ({
    currentTarget: { scrollTop, scrollHeight, clientHeight },
  }: {
    currentTarget: HTMLElement;
  }) => {
    setView({ top: scrollTop, height: clientHeight });
    const isAtEnd = scrollHeight - scrollTop - clientHeight < rowHeight * 2;
    if (isAtEnd !== isFollowing) onFollow(isAtEnd);
  };
  const first = Math.max(0, Math.floor(view.top / rowHeight) - margin);
  const count = Math.ceil(view.height / rowHeight) + 2 * margin;
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    const middle = Math.min(lines.length - 1, Math.floor((view.top + view.height / 2) / rowHeight));
    setChosen(isFollowing ? lines.at(-1) : lines[middle]);
  };
  return (
    <>
      <div
        ref={place}
        class="log"
        role="log"
        aria-live="off"
        aria-label="Log lines"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard
        tabIndex={0}
        onScroll={scroll}
        onKeyDown={press}
      >
        <div class="log-size" style={{ height: `${lines.length * rowHeight}px` }}>
          <div class="log-window" style={{ transform: `translateY(${first * rowHeight}px)` }}>
            {lines.slice(first, first + count).map((line) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on the log does the same
              // biome-ignore lint/a11y/noStaticElementInteractions: the log itself has the focus
              <div
                key={line.at}
                class={`log-line ${line.level} ${line === chosen ? 'chosen' : ''}`}
                onClick={() => setChosen(line === chosen ? undefined : line)}
              >
                <time>{clockText(line.atMs, true)}</time>
                <span class={`log-node colour-${colours.get(line.node) ?? 0}`}>{line.node}</span>
                <span class="log-name">{line.log}</span>
                <span class="log-level">{line.level === 'unknown' ? '' : line.level}</span>
                <span class="log-text">{line.text}</span>
              </div>
            ))}
          </div>
        </div>
      </div>
      {chosen !== undefined && (
        <section class="log-detail" aria-label="The chosen line">
          <header>
            <strong>
              {chosen.node} {chosen.log}
            </strong>
            <span>{dateText(chosen.atMs)}</span>
            {chosen.trace !== undefined && (
              <>
                <a href={linkTo('traces', [chosen.trace])}>Trace {chosen.trace.slice(0, 8)}</a>
                <button type="button" onClick={() => onTrace(chosen.trace ?? '')}>
                  Its lines
                </button>
              </>
            )}
            <button type="button" onClick={() => setChosen(undefined)}>
              Close
            </button>
          </header>
          <pre>{chosen.text}</pre>
        </section>
      )}
    </>
  );
}
