import { Link as Routed } from "@builder.io/qwik-city";

// Addresses end with a slash here.
export const Link = ({ to, children }) => <Routed href={to === "/" ? to : `${to}/`}>{children}</Routed>;
