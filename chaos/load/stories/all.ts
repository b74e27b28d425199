// Every story of the load, in one table.
import type { Story } from '../tools.ts';
import { hostileStories } from './hostile.ts';
import { paymentStories } from './payments.ts';
import { quoteStories } from './quotes.ts';
import { rateStories } from './rates.ts';
import { refusedForms } from './refused-forms.ts';
import { refusedTerms } from './refused-terms.ts';
import { repeatStories } from './repeats.ts';
import { reportStories } from './reports.ts';
import { resolutionStories } from './resolutions.ts';

export const stories: readonly Story[] = [
  ...paymentStories,
  ...repeatStories,
  ...refusedTerms,
  ...refusedForms,
  ...resolutionStories,
  ...reportStories,
  ...quoteStories,
  ...rateStories,
  ...hostileStories,
];
