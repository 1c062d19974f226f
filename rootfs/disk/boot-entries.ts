import { type ImageArguments, imageArguments } from '@nodewright/boot';
import type { Architecture } from '@nodewright/build';
import { commonKernelArguments, kernelArguments } from '../recipe.ts';

/** The kernel's command line for an image. */
export function commandLine(architecture: Architecture, image: ImageArguments): string {
  return [...kernelArguments[architecture], ...commonKernelArguments, ...imageArguments(image)].join(' ');
}
