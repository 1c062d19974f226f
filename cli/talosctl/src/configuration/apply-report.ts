import { nodeNameInLine } from '@nodewright/client/node-name';
import { Fault } from '@nodewright/fault';
import type { CliEnvironment } from '../context/command-module.ts';
import { InterruptedFailure } from '../context/failure.ts';
import { OwnText, ownLines, ownText, writeOwn } from '../context/own-text.ts';
import { NodeErrors } from '../nodes/node-errors.ts';
import type { OutputOptions } from '../nodes/node-options.ts';
import { escapeEntry, escapeText } from '../output/escape-text.ts';
import { documentError, writeDocument } from '../render/document.ts';
import { formatGoSeconds } from '../render/go-time.ts';
import type { Applied, ApplyOptions } from './apply-options.ts';
import { colourDiff, wantsColours } from './colour-diff.ts';
import { activeId, configurationKind } from './configuration-kind.ts';

/**
 * Reports the result of sending a configuration to each node. Responses go to stderr at once, and errors after all
 * responses. Only a document goes to standard output. Source: Talos v1.14: apply-config.
 */
export class ApplyReport {
  readonly #env: CliEnvironment;
  readonly #options: ApplyOptions & OutputOptions;
  /** The nodes in the order of the command line. */
  readonly #nodes: readonly string[];
  readonly #entries = new Map<string, object>();
  readonly #errors: NodeErrors;
  readonly #lastLines: string[] = [];
  #isInterrupted = false;

  constructor(env: CliEnvironment, options: ApplyOptions & OutputOptions, nodes: readonly string[]) {
    this.#env = env;
    this.#options = options;
    this.#nodes = nodes;
    this.#errors = new NodeErrors(env);
  }

  /** A node has accepted the configuration, or has answered a dry run. */
  applied(node: string, applied: Applied): void {
    const { mode, details, warnings } = applied;
    this.#entries.set(node, { mode, modeDetails: details, warnings, dryRun: this.#options.dryRun });
    if (this.#options.output !== 'table') return;
    const prefix = this.#nodes.length > 1 ? `${nodeNameInLine(node)}: ` : '';
    const { stderr } = this.#env;
    for (const warning of warnings) this.say(`${prefix}WARNING: ${escapeEntry(warning)}`);
    const shown = this.#details(details, prefix);
    if (shown.length > 0) writeOwn(stderr, ownLines(shown));
    const reverts = this.#revert(applied);
    for (const line of reverts) this.say(`${prefix}${line}`);
    const isSilent = warnings.length + shown.length + reverts.length === 0;
    if (isSilent && prefix !== '') this.say(`${prefix}configuration applied`);
  }

  /** The node's description of the change as lines. On a terminal, lines after the first are indented. */
  #details(details: string, prefix: string): OwnText[] {
    const text = escapeText(details.trimEnd());
    if (text === '') return [];
    const lines = wantsColours(this.#env)
      ? colourDiff(text)
      : text.split('\n').map((line) => new OwnText(line));
    const [first, ...rest] = lines;
    if (first === undefined) return [];
    if (rest.length === 0) return [ownText`${prefix}${first}`];
    const indent = this.#env.stderr.isTTY ? '    ' : '';
    const indented = (line: OwnText) => ownText`${indent}${line}`;
    if (prefix === '') return [first, ...rest.map(indented)];
    return [ownText`${prefix.trimEnd()}`, ...lines.map(indented)];
  }

  /** The line that says when the node reverts a configuration in mode `try`, unless the node's response says it. */
  #revert({ details }: Applied): string[] {
    const { mode, dryRun, timeout } = this.#options;
    if (mode !== 'try' || dryRun || details.trimEnd().includes('\n')) return [];
    const seconds = Number(timeout / 1_000_000n) / 1000;
    const at = new Date(this.#env.now().getTime() + seconds * 1000).toTimeString().slice(0, 8);
    return [
      `the node reverts it in ${formatGoSeconds(seconds)}, at ${at}, unless a configuration is applied in another mode before`,
    ];
  }

  /** The configuration of the node needed no change, so nothing was sent. */
  skipped(node: string, why: string): void {
    this.#entries.set(node, { skipped: why });
    this.note(node, why);
  }

  /** The node's configuration was patched. Source: Talos v1.14: patch. */
  patched(node: string): void {
    if (this.#options.output !== 'table') return;
    this.say(`patched ${configurationKind.type}/${activeId} at the node ${nodeNameInLine(node)}`);
  }

  /** Prints a line about a node, unless the output is a document. */
  note(node: string, text: string): void {
    if (this.#options.output === 'table') this.say(`${nodeNameInLine(node)}: ${text}`);
  }

  /** Prints a line on stderr, in every output format. */
  say(line: string): void {
    this.#env.stderr.write(`${line}\n`);
  }

  /** Stores a line to print after the errors. */
  sayLast(line: string): void {
    this.#lastLines.push(line);
  }

  /** A node has rejected the configuration, or did not answer. */
  failed(node: string, fault: Fault): void {
    this.#entries.set(node, { error: documentError(fault) });
    this.#errors.add(node, fault, 'error applying configuration');
    if (this.#options.dryRun) return;
    const isInterrupted = fault.kind === 'cancelled' && this.#env.signal.aborted;
    if (!isInterrupted && fault.kind !== 'deadline-exceeded') return;
    const why = isInterrupted ? 'interrupted before the node answered: ' : '';
    this.say(`${nodeNameInLine(node)}: ${why}it may have applied the configuration`);
  }

  /** The configuration of a node could not be read. */
  unread(node: string, fault: Fault): void {
    this.#entries.set(node, { error: documentError(fault) });
    this.#errors.add(node, fault);
  }

  /** A local failure prevented sending a configuration to the node. */
  stopped(node: string, { kind, message }: Fault): void {
    const fault = new Fault(kind, `${message}: nothing was sent`);
    this.#entries.set(node, { error: documentError(fault) });
    this.#errors.addHere(node, fault.message);
  }

  /** The user pressed Ctrl-C before the configuration was sent to the node. */
  interrupted(node: string): void {
    this.#isInterrupted = true;
    this.stopped(node, new Fault('cancelled', 'interrupted'));
  }

  /**
   * Prints the document, if requested, and the errors.
   *
   * @throws InterruptedFailure after `interrupted`, or else ReportedFailure when any node failed
   */
  async end(): Promise<void> {
    const { output } = this.#options;
    if (output !== 'table') {
      const entries = this.#nodes.flatMap((node) => {
        const entry = this.#entries.get(node);
        return entry === undefined ? [] : [{ node, ...entry }];
      });
      await writeDocument(this.#env.stdout, output, entries);
    }
    try {
      this.#errors.end();
    } catch (error) {
      throw this.#isInterrupted ? new InterruptedFailure('nothing more is sent') : error;
    } finally {
      for (const line of this.#lastLines) this.say(line);
    }
  }
}
