import NextLink from "next/link";

export const Link = ({ to, children }) => <NextLink href={to}>{children}</NextLink>;
