import { parseByteSize } from '../../forms/byte-size.ts';
import type { CheckedDocument } from '../checked-document.ts';

/** Source: Talos v1.14: machine configuration, `machine.install`. */
export function checkInstall(legacy: CheckedDocument): void {
  const install = legacy.at('machine', 'install');
  const selector = install.map('diskSelector');
  const hasSelector = Object.keys(selector).length > 0;
  if (!hasSelector && install.text('disk') === '') install.refuse('needs disk or diskSelector');
  const size = install.text('diskSelector', 'size');
  if (size !== '' && parseByteSize(size.replace(/^(?:>=|<=|==|>|<)?\s*/, '')) === undefined)
    install.refuse('must be a size, behind one of >=, <=, >, <, ==', 'diskSelector', 'size');
  const type = install.text('diskSelector', 'type');
  if (type !== '' && !['ssd', 'hdd', 'nvme', 'sd'].includes(type.toLowerCase()))
    install.refuse('must be one of ssd, hdd, nvme, sd', 'diskSelector', 'type');
  if (install.text('diskSelector', 'name') !== '')
    install.refuse('is no longer supported', 'diskSelector', 'name');
  if (install.texts('extraKernelArgs').length > 0 && install.boolean('grubUseUKICmdline'))
    install.refuse('cannot be combined with grubUseUKICmdline', 'extraKernelArgs');
}
