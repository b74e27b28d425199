// The parts of the gateway's answers that `isthmus admin` shows. --json prints the answer unchanged.
import { z } from 'zod';

const difference = z.object({ path: z.string(), before: z.unknown(), after: z.unknown() });
const edit = z.object({
  kind: z.string(),
  id: z.string(),
  ends: z.boolean(),
  isNew: z.boolean(),
  differences: z.array(difference),
});
const finding = z.object({
  severity: z.string(),
  kind: z.string(),
  id: z.string(),
  path: z.string(),
  says: z.string(),
});
export const proposed = z.object({
  changeId: z.string().nullable(),
  state: z.string(),
  objects: z.array(edit),
  findings: z.array(finding),
});
const changeMembers = {
  changeId: z.string(),
  state: z.string(),
  proposedBy: z.string(),
  proposedAt: z.string(),
  because: z.string(),
  effectiveAt: z.string().nullable(),
  steps: z.array(
    z.object({ step: z.string(), by: z.string(), at: z.string(), because: z.string().nullable() }),
  ),
  probes: z.array(z.object({ url: z.string(), outcome: z.string().nullable(), says: z.string().nullable() })),
};
export const change = z.object({ ...changeMembers, objects: z.array(edit) });
const listedChange = z.object({ ...changeMembers, objects: z.array(edit.omit({ differences: true })) });
export const changes = z.array(listedChange);
export const documents = z.array(z.record(z.string(), z.unknown()));
export const object = z.object({
  document: z.record(z.string(), z.unknown()).nullable(),
  secrets: z.array(z.object({ secretId: z.string(), endsAt: z.string().nullable() })).optional(),
  history: z.array(change),
});
export const scheme = z.record(z.string(), documents);
export const readiness = z.object({
  isReady: z.boolean(),
  items: z.array(z.object({ item: z.string(), isMet: z.boolean(), says: z.string() })),
});
export const secret = z.object({ secret: z.string(), secretId: z.string(), change: proposed });

export type ShownEdit = z.infer<typeof edit>;
export type ShownFinding = z.infer<typeof finding>;
export type ShownChange = z.infer<typeof change>;
export type ListedChange = z.infer<typeof listedChange>;
export type ShownProposed = z.infer<typeof proposed>;

export const deliveryKeys = z.array(
  z.object({
    keyId: z.string(),
    state: z.string(),
    signsFrom: z.string(),
    signsUntil: z.string().nullable(),
    madeBy: z.string(),
    because: z.string(),
  }),
);
