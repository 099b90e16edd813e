import { z } from 'zod';
import { parse } from '../../record/parse.ts';
import type { Layout } from '../layout.ts';
import { edenLayout } from './eden-layout.ts';
import { kwasiLayout } from './kwasi-layout.ts';
import { logicspikeLayout } from './logicspike-layout.ts';
import { qwestlyLayout } from './qwestly-layout.ts';
import { toolstreamLayout } from './toolstream-layout.ts';
import { varveLayout } from './varve-layout.ts';

export type LayoutName = 'varve' | 'toolstream' | 'qwestly' | 'kwasi' | 'logicspike' | 'eden';

/** The layouts that Varve has: its own, and those of the five designs that it unites. */
export const LAYOUTS: Readonly<Record<LayoutName, Layout>> = {
  varve: varveLayout,
  toolstream: toolstreamLayout,
  qwestly: qwestlyLayout,
  kwasi: kwasiLayout,
  logicspike: logicspikeLayout,
  eden: edenLayout,
};

const nameSchema = z.enum(Object.keys(LAYOUTS) as [LayoutName, ...LayoutName[]]);

/** A layout by its name, or one of the application's own. Default `varve`. */
export function layoutOf(layout: LayoutName | Layout = 'varve'): Layout {
  return typeof layout === 'string' ? LAYOUTS[parse(nameSchema, layout, 'The layout')] : layout;
}
