/** How a case of h2spec ended. A skipped one has found nothing to test. */
export interface CaseOutcome {
  /** `http2/5.1: closed: Sends a DATA frame`: its section and its title. */
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** What h2spec expected and what came. */
  readonly text: string;
}

const testCase = /<testcase package="([^"]*)" classname="([^"]*)"[^>]*>(.*?)<\/testcase>/gs;

/** Reads the JUnit report that h2spec writes. */
export function readReport(xml: string): CaseOutcome[] {
  return [...xml.matchAll(testCase)].map(([, section = '', title = '', content = '']) => ({
    name: unescapeXml(`${section}: ${title}`),
    outcome: /<(?:failure|error)>/.test(content)
      ? 'failed'
      : content.includes('<skipped>')
        ? 'skipped'
        : 'passed',
    text: content.replace(/<\/?\w+>/g, '').trim(),
  }));
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', '#34': '"', '#39': "'" };

function unescapeXml(text: string): string {
  return text.replace(/&([#\w]+);/g, (whole, name: string) => entities[name] ?? whole);
}
