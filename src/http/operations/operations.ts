import { INSPECTOR_OPERATIONS } from '../inspector/inspector-operations.ts';
import type { Operation } from '../operation.ts';
import { ADMIN_OPERATIONS } from './admin-operations.ts';
import { BLOCK_OPERATIONS } from './block-operations.ts';
import { CONTEXT_OPERATIONS } from './context-operations.ts';
import { EVENT_OPERATIONS } from './event-operations.ts';
import { FACT_OPERATIONS } from './fact-operations.ts';
import { INTENTION_OPERATIONS } from './intention-operations.ts';
import { MEMORY_OPERATIONS } from './memory-operations.ts';
import { STREAM_OPERATIONS } from './stream-operations.ts';
import { WORK_OPERATIONS } from './work-operations.ts';

export const OPERATIONS: readonly Operation[] = [
  ...EVENT_OPERATIONS,
  ...MEMORY_OPERATIONS,
  ...FACT_OPERATIONS,
  ...CONTEXT_OPERATIONS,
  ...BLOCK_OPERATIONS,
  ...INTENTION_OPERATIONS,
  ...WORK_OPERATIONS,
  ...ADMIN_OPERATIONS,
  ...STREAM_OPERATIONS,
  ...INSPECTOR_OPERATIONS,
];
