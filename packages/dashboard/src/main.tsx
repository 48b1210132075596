import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { restoreTheme } from './app/theme.tsx';
import './ui/fonts/fonts.css';
import './ui/tokens.css';
import './ui/base.css';
import './app/shell.css';

const root = document.querySelector('#root');
if (!root) throw new Error('index.html has no #root');
restoreTheme();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
