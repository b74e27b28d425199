// The list of all stories of the load.
import type { Story } from '../tools.ts';
import { paymentStories } from './payments.ts';
import { quoteStories } from './quotes.ts';
import { refusedTerms } from './refused-terms.ts';
import { repeatStories } from './repeats.ts';
import { reportStories } from './reports.ts';
import { resolutionStories } from './resolutions.ts';

export const stories: readonly Story[] = [
  ...paymentStories,
  ...repeatStories,
  ...refusedTerms,
  ...resolutionStories,
  ...reportStories,
  ...quoteStories,
];
