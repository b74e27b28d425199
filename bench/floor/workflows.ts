// The exports of the floors' workflow bundle, by workflow type.
export { fixedFloor } from './fixed-workflow.ts';
export { shapedFloor } from './shaped-workflow.ts';
