import { defineConfig, type UserConfig } from 'vite';

/** The inspector is built into `dist/web`, from where the server serves it. */
const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  base: './',
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // The Content-Security-Policy allows files of this server only: nothing may be inlined as a data URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  server: { proxy: { '/v1': 'http://127.0.0.1:8787', '/inspector': 'http://127.0.0.1:8787' } },
});

export default config;
