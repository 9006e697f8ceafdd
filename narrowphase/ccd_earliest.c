int nothing6(void); int nothing6(void) {return 0;}
