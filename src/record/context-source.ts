import { z } from 'zod';

export const CONTEXT_TYPES = [
  'user_profile',
  'user_persistent',
  'tool_schema',
  'tool_entity',
  'tool_persistent',
  'tool_attachment_content',
] as const;
export type ContextType = (typeof CONTEXT_TYPES)[number];

const CONTEXT_ORIGINS = ['user_provided', 'system_learned', 'tool_indexed', 'tool_extracted_content'] as const;
export type ContextOrigin = (typeof CONTEXT_ORIGINS)[number];

/** The tool, message, attachment or file that stored context comes from. */
export interface ContextSource {
  type: ContextType;
  source: ContextOrigin;
  organisation?: string;
  tool?: string;
  message?: string;
  attachment?: string;
  fileName?: string;
}

const nameSchema = z.string().min(1).max(500).optional();

export const contextSourceSchema: z.ZodType<ContextSource, ContextSource> = z.strictObject({
  type: z.enum(CONTEXT_TYPES),
  source: z.enum(CONTEXT_ORIGINS),
  organisation: nameSchema,
  tool: nameSchema,
  message: nameSchema,
  attachment: nameSchema,
  fileName: nameSchema,
});
