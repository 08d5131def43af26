"""What the integers and conditions of a kernel can be: differences that are bounded, and conditions they decide."""
