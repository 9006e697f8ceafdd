int nothing7(void); int nothing7(void) {return 0;}
